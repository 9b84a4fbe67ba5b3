// Exceptions: through several frames, through a frame of native code (qsort), rethrown, with destructors on the way.
// EXPECT: deep 3
// EXPECT: destroyed 3 2 1 0
// EXPECT: from qsort 7
// EXPECT: rethrown inner
// EXPECT: caught base
// EXPECT: loop 4950
// TICKS: per-level
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

struct Noisy {
  int id;
  explicit Noisy(int n) : id(n) {}
  ~Noisy() { std::printf(" %d", id); }
};

static int dive(int depth) {
  Noisy noisy(depth);
  if (depth == 3) throw depth;
  return dive(depth + 1) + noisy.id;
}

static int throwing_compare(const void*, const void*) { throw 7; }

static void rethrow() {
  try {
    throw std::runtime_error("inner");
  } catch (const std::exception&) {
    throw;
  }
}

struct Base {
  virtual ~Base() = default;
  virtual const char* name() const { return "base"; }
};
struct Derived : Base {};

static int sometimes(int i) {
  if (i % 3 == 0) throw i;
  return i;
}

int main() {
  try {
    std::printf("deep 3\ndestroyed");
    dive(0);
  } catch (int) {
    std::puts("");
  }
  try {
    int numbers[4] = {4, 3, 2, 1};
    std::qsort(numbers, 4, sizeof numbers[0], throwing_compare);
  } catch (int value) {
    std::printf("from qsort %d\n", value);
  }
  try {
    rethrow();
  } catch (const std::exception& e) {
    std::printf("rethrown %s\n", e.what());
  }
  try {
    throw Derived();
  } catch (const Base& base) {
    std::printf("caught %s\n", base.name());
  }
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    try {
      sum += sometimes(i);
    } catch (int thrown) {
      sum += thrown;
    }
  }
  std::printf("loop %d\n", sum);
}
