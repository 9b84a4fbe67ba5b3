// A million exceptions through frames with escaping variables: landing pads put the stack back, nothing leaks.
// EXPECT: 1000000 caught, 3000000 destroyed, sum 499999500000
// EXPECT: rethrown 42
#include <cstdio>
#include <stdexcept>
#include <string>

static long destroyed;
static char* lowest;

struct Guard {
  char bytes[64];
  explicit Guard(int fill) {
    for (char& byte : bytes) byte = static_cast<char>(fill);
    if (!lowest || bytes < lowest) lowest = bytes;
  }
  ~Guard() { destroyed += bytes[0] == bytes[63]; }
};

static void inner(int n) {
  Guard guard(n);
  throw n;
}

static void middle(int n) {
  Guard first(n), second(n + 1);
  inner(n);
}

static int rethrow() {
  try {
    try {
      Guard guard(1);
      throw std::runtime_error("deep");
    } catch (const std::runtime_error&) {
      Guard guard(2);
      throw;
    }
  } catch (const std::exception& error) {
    return std::string(error.what()) == "deep" ? 42 : 0;
  }
}

int main() {
  long caught = 0, sum = 0;
  char* first = nullptr;
  for (int i = 0; i < 1000000; i++) {
    try {
      middle(i);
    } catch (int value) {
      caught++;
      sum += value;
    }
    if (i == 0) first = lowest;
  }
  if (lowest != first) printf("the stack leaks\n");
  printf("%ld caught, %ld destroyed, sum %ld\n", caught, destroyed, sum);
  printf("rethrown %d\n", rethrow());
  return 0;
}
