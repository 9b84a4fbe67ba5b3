#include "runtime/loader/vfork_memory.h"

#include "runtime/loader/calls.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

using format::EventKind;
using format::PartKind;

constexpr uint64_t kMostBytes = 64 * 1024;
constexpr uint32_t kMostParts = kMostBytes / 16;

/// Memory that parent and child both see.
struct Exchange {
  uint64_t changed;  ///< 1: the child has left its copy
  uint64_t reserved[7];
  unsigned char copy[kMostBytes];
};

Exchange* exchange;
uint64_t low, bytes;  // of the program's stack
bool is_child;
PartSource parts[kMostParts];

uint64_t word_of(uint64_t address) {
  uint64_t value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// Copies the words that the child changed into the program's memory; one part for each run of them.
uint32_t take_changes() {
  uint32_t count = 0;
  bool in_run = false;
  for (uint64_t at = 0; at < bytes; at += 8) {
    const uint64_t address = low + at, fresh = word_of(word(exchange->copy) + at);
    if (word_of(address) == fresh) {
      in_run = false;
      continue;
    }
    __builtin_memcpy(reinterpret_cast<void*>(address), &fresh, sizeof fresh);
    if (!in_run) parts[count++] = {address, reinterpret_cast<const void*>(address), 0, PartKind::kMemory};
    parts[count - 1].bytes += 8;
    in_run = true;
  }
  return count;
}

}  // namespace

void prepare_vfork(const Context& context) {
  if (exchange == nullptr) {
    const long mapped =
        raw(__NR_mmap, 0, sizeof(Exchange), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, ~uint64_t{0}, 0);
    if (failed(mapped)) return;
    exchange = reinterpret_cast<Exchange*>(mapped);
  }
  exchange->changed = 0;
  low = context.rsp & ~uint64_t{7};
  // As much as is mapped from there on.
  bytes = 0;
  for (uint64_t step = kMostBytes; step >= 8; step /= 2) {
    if (bytes + step <= kMostBytes && runtime.space.covers(low, low + bytes + step)) bytes += step;
  }
}

void begin_child(bool shares_memory) {
  is_child = shares_memory && exchange != nullptr;
}

void leave_vfork_memory() {
  if (!is_child || bytes == 0) return;
  __builtin_memcpy(exchange->copy, reinterpret_cast<const void*>(low), bytes);
  __atomic_store_n(&exchange->changed, uint64_t{1}, __ATOMIC_RELEASE);
}

long settle_vfork(Call& call, long result) {
  if (runtime.mode == Mode::kReplay || failed(result) || exchange == nullptr ||
      __atomic_load_n(&exchange->changed, __ATOMIC_ACQUIRE) == 0) {
    return settle(call, result);
  }
  const uint32_t count = take_changes();
  exchange->changed = 0;  // the program may itself be such a child
  if (runtime.mode != Mode::kRecord) return result;
  append_call(call, result, parts, count);
  return result;
}

}  // namespace culprit::loader
