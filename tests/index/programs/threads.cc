// Threads, made by the C library and by the C++ library; what each does is named from where it was created.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static void* work(void* argument) {
  for (long i = 0; i < reinterpret_cast<long>(argument); ++i) std::free(std::malloc(1));  // POINT work
  return nullptr;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 3;
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, reinterpret_cast<void*>(2L));
    pthread_join(thread, nullptr);
  }
  std::vector<std::thread> more;
  for (int i = 0; i < threads; ++i) more.emplace_back([] { work(reinterpret_cast<void*>(1L)); });
  for (std::thread& thread : more) thread.join();
  std::puts("done");
  return 0;
}
