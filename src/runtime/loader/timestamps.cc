#include "runtime/loader/timestamps.h"

#include "runtime/loader/signals.h"
#include "runtime/loader/timestamp_code.h"

namespace culprit::loader {
namespace {

bool traps = true;

/// Behind the rdtsc of the trial.
void on_trial(int, Siginfo*, Context* context) {
  traps = true;
  context->rip += 2;
}

}  // namespace

void learn_whether_timestamps_trap() {
  KernelSigaction former;
  const KernelSigaction action = {word(reinterpret_cast<void*>(&on_trial)), kSaSiginfo | kSaRestorer,
                                  word(reinterpret_cast<void*>(&signal_return)), 0};
  const uint64_t fault = signal_bit(kSigsegv);
  uint64_t mask;
  raw(__NR_rt_sigprocmask, 1 /* SIG_UNBLOCK */, word(&fault), word(&mask), sizeof mask);
  raw(__NR_rt_sigaction, kSigsegv, word(&action), word(&former), sizeof mask);
  raw(__NR_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
  traps = false;
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
  raw(__NR_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
  raw(__NR_rt_sigaction, kSigsegv, word(&former), 0, sizeof mask);
  raw(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, word(&mask), 0, sizeof mask);
}

void rewrite_timestamps(uint64_t low, uint64_t high) {
  if (traps) return;
  // Reads without faults, where a mapping is longer than its file, too, and writes where the program may not.
  const long memory = raw(__NR_openat, AT_FDCWD, word("/proc/self/mem"), O_RDWR | O_CLOEXEC, 0);
  if (failed(memory)) return;
  constexpr size_t kBefore = 3;  // of a fence
  static uint8_t code[1 << 16];
  for (uint64_t start = low; start < high;) {
    const uint64_t from = start - low < kBefore ? start : start - kBefore;
    const uint64_t most = high - from < sizeof code ? high - from : sizeof code;
    const long got = raw(__NR_pread64, memory, word(code), most, from);
    if (got <= static_cast<long>(start - from)) break;
    const auto bytes = static_cast<size_t>(got);
    const bool last = from + bytes >= high || bytes < most;
    const size_t end = last ? bytes : bytes - kTimestampReach;  // what stands at the end is looked at again
    for (size_t at = find_timestamp(code, bytes, start - from); at < end; at = find_timestamp(code, bytes, at + 1)) {
      raw(__NR_pwrite64, memory, word(&kRewrittenTimestamp), 1, from + at);
    }
    if (last) break;
    start = from + end;
  }
  raw(__NR_close, memory);
}

}  // namespace culprit::loader
