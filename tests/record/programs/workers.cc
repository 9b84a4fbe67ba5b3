// A queue with three workers, a reader of the pipe they write to, a timed wait that runs out, thread-local storage.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable changed;
std::queue<int> jobs;
bool done = false;
std::atomic<long> sum{0};
thread_local int jobs_here = 0;

void work(int output) {
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return !jobs.empty() || done; });
    if (jobs.empty()) break;
    const int job = jobs.front();
    jobs.pop();
    lock.unlock();
    sum += job;
    ++jobs_here;
    const char byte = static_cast<char>(job);
    if (write(output, &byte, 1) != 1) abort();
  }
  std::printf("a worker did %d jobs\n", jobs_here);
}

void read_all(int input, long count) {
  long number = 0, hash = 0;
  char bytes[16];
  while (number < count) {
    const long got = read(input, bytes, sizeof bytes);
    for (long each = 0; each < got; ++each) hash = hash * 7 + bytes[each];
    number += got;
  }
  std::printf("read %ld\n", hash);
}

}  // namespace

int main() {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return 1;
  std::vector<std::thread> threads;
  for (int each = 0; each < 3; ++each) threads.emplace_back(work, pipe_ends[1]);
  std::thread reader(read_all, pipe_ends[0], 500);
  for (int job = 0; job < 500; ++job) {
    {
      const std::lock_guard lock(mutex);
      jobs.push(job);
    }
    changed.notify_one();
    if (job % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_all();
  for (std::thread& each : threads) each.join();
  reader.join();
  std::promise<void> never;
  const auto waited = never.get_future().wait_for(std::chrono::milliseconds(5));
  auto answer = std::async(std::launch::async, [] { return 42; });
  std::printf("%ld %d %d\n", sum.load(), answer.get(), waited == std::future_status::timeout);
}
