// Thread-local variables with and without constructors, std::thread, destruction at a thread's end, call_once.
// FLAGS: -pthread
// EXPECT: main 1 0
// EXPECT: thread 0: 10 5
// EXPECT: thread 1: 11 5
// EXPECT: destroyed 2
// EXPECT: once 1
// EXPECT: main 1 0
// TICKS: per-level
#include <cstdio>
#include <mutex>
#include <thread>

static int destroyed = 0;
static int made_once = 0;
static std::once_flag flag;

struct Tracked {
  int value = 5;
  ~Tracked() { destroyed++; }
};

thread_local int plain = 1;
static thread_local int zero;

static Tracked& tracked() {
  thread_local Tracked object;
  return object;
}

static void work(int id) {
  plain = 10 + id;
  zero = id;
  for (int i = 0; i < 3; i++) std::call_once(flag, [] { made_once++; });
  std::printf("thread %d: %d %d\n", zero, plain, tracked().value);
}

int main() {
  std::printf("main %d %d\n", plain, zero);
  for (int i = 0; i < 2; i++) {
    std::thread thread(work, i);
    thread.join();
  }
  std::printf("destroyed %d\nonce %d\nmain %d %d\n", destroyed, made_once, plain, zero);
}
