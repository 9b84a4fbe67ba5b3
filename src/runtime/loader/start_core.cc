#include "runtime/loader/start_core.h"

#include "runtime/loader/trapped_instructions.h"

namespace culprit::loader {
namespace {

constexpr uint64_t kMostCores = 8192;

struct CoreSet {
  uint64_t words[kMostCores / 64];
};

CoreSet before;
bool kept;

/// Where the machine, or who started us, does not let this thread run there, it stays where it is.
void keep(uint64_t core) {
  if (core >= kMostCores || failed(raw(__NR_sched_getaffinity, 0, sizeof before, word(&before)))) return;
  CoreSet one = {};
  one.words[core / 64] = uint64_t{1} << core % 64;
  kept = !failed(raw(__NR_sched_setaffinity, 0, sizeof one, word(&one)));
}

}  // namespace

uint64_t keep_start_core() {
  if (trap_processor_id()) return 0;
  uint32_t core = 0;
  raw(__NR_getcpu, word(&core), 0, 0);
  keep(core);
  return uint64_t{core} + 1;
}

void keep_recorded_core(uint64_t core) {
  if (core != 0) {
    keep(core - 1);
  } else if (!trap_processor_id()) {
    fail(
        "the recording holds what another processor answered to cpuid, and this processor cannot trap it: replay where "
        "it was recorded");
  }
}

void leave_start_core() {
  if (!kept) return;
  kept = false;
  raw(__NR_sched_setaffinity, 0, sizeof before, word(&before));
}

}  // namespace culprit::loader
