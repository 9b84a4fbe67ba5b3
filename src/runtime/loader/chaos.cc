#include "runtime/loader/chaos.h"

#include "runtime/loader/text.h"

namespace culprit::loader {
namespace {

constexpr uint32_t kMostChanges = 3;
/// Priorities below it are given at changes only.
constexpr uint32_t kLowPriorities = 1024;

uint64_t state;
uint64_t length;  ///< of an earlier run; 0: unknown
// PCT:
bool by_changes;
uint64_t changes[kMostChanges];  ///< moments, ascending
uint32_t change_count, changes_done;
uint64_t now;  ///< ticks and calls while there were several threads
bool change_is_due;
bool ticks_count;  ///< calls do not, then
bool ends_at_deadlock;

/// xorshift64* (Vigna): enough for scheduling.
uint64_t draw() {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

void pass(uint64_t ticks) {
  now += ticks;
  while (changes_done < change_count && changes[changes_done] <= now) {
    ++changes_done;
    change_is_due = true;
  }
}

void choose_changes() {
  change_count = 1 + static_cast<uint32_t>(draw() % kMostChanges);
  for (uint32_t each = 0; each < change_count; ++each) {
    uint64_t moment = draw() % length;
    for (uint32_t before = 0; before < each; ++before) {
      if (changes[before] <= moment) continue;
      const uint64_t later = changes[before];
      changes[before] = moment;
      moment = later;
    }
    changes[each] = moment;
  }
}

}  // namespace

void start_chaos(const char* words) {
  for (const char* each = words; *each; ++each) ends_at_deadlock = ends_at_deadlock || *each == '!';
  const uint64_t seed = number_of(words);
  if (seed == 0) return;
  while (*words && *words != ':') ++words;
  length = *words == ':' ? number_of(words + 1) : 0;
  state = seed * 0x9e3779b97f4a7c15 + 1;
  if (state == 0) state = 1;
  for (int each = 0; each < 4; ++each) draw();
  by_changes = length != 0 && seed % 2 == 0;
  if (by_changes) choose_changes();
}

void chaos_words(char* to, size_t room) {
  Line words;
  words << (state >> 1);
  if (length != 0) words << ":" << length;
  if (ends_at_deadlock) words << "!";
  const size_t bytes = words.size() < room ? words.size() : room - 1;
  __builtin_memcpy(to, words.text(), bytes);
  to[bytes] = 0;
}

bool in_chaos() {
  return state != 0;
}

bool deadlock_ends_run() {
  return in_chaos() || ends_at_deadlock;
}

uint32_t random_priority() {
  return in_chaos() ? kLowPriorities + static_cast<uint32_t>(draw() >> 34) : 0;
}

void draw_priority(Thread& thread) {
  if (!in_chaos()) return;
  if (by_changes) {
    if (change_is_due) thread.priority = kLowPriorities - changes_done;
    change_is_due = false;
  } else if (draw() >> 62 == 0) {
    thread.priority = random_priority();
  }
}

bool preempts_at_call() {
  if (!in_chaos() || runtime.threads_alive < 2) return false;
  if (!by_changes) return draw() >> 61 == 0;
  if (!ticks_count) pass(1);
  return change_is_due;
}

long random_quantum(long longest, uint64_t passed) {
  if (!in_chaos() || runtime.threads_alive < 2) return longest;
  if (by_changes) {
    ticks_count = true;
    pass(passed);
    const uint64_t left = changes_done < change_count ? changes[changes_done] - now : static_cast<uint64_t>(longest);
    return left < static_cast<uint64_t>(longest) ? static_cast<long>(left) : longest;
  }
  if (length != 0 && length < static_cast<uint64_t>(longest)) longest = static_cast<long>(length) + 1;
  int bits = 0;
  while (longest >> bits > 1) ++bits;
  const auto most = long{1} << (1 + draw() % static_cast<uint64_t>(bits < 1 ? 1 : bits));
  return 1 + static_cast<long>(draw() % static_cast<uint64_t>(most));
}

}  // namespace culprit::loader
