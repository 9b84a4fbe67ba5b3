#include "runtime/loader/chaos.h"

namespace culprit::loader {
namespace {

uint64_t state;

/// xorshift64* (Vigna): enough for scheduling.
uint64_t draw() {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

}  // namespace

void start_chaos(uint64_t seed) {
  state = seed * 0x9e3779b97f4a7c15 + 1;
  if (state == 0) state = 1;
  for (int each = 0; each < 4; ++each) draw();
}

uint64_t chaos_state() {
  return state;
}

bool in_chaos() {
  return state != 0;
}

uint32_t random_priority() {
  return in_chaos() ? static_cast<uint32_t>(draw() >> 33) : 0;
}

bool draws_anew() {
  return in_chaos() && draw() >> 62 == 0;
}

bool preempts_at_call() {
  return in_chaos() && draw() >> 61 == 0;
}

long random_quantum(long longest) {
  if (!in_chaos()) return longest;
  int bits = 0;
  while (longest >> bits > 1) ++bits;
  const auto most = long{1} << (1 + draw() % static_cast<uint64_t>(bits));
  return 1 + static_cast<long>(draw() % static_cast<uint64_t>(most));
}

}  // namespace culprit::loader
