#include "runtime/tick_slow.h"

#include "format/tick_call.h"
#include "runtime/counts.h"
#include "runtime/index/points.h"
#include "runtime/raw_syscall.h"
#include "runtime/thread_state.h"
#include "runtime/trace/trace.h"

/// Gives the calling thread its user stack and private stack.
extern "C" void culprit_stacks_attach(culprit::format::ThreadState* thread);

extern "C"
    __attribute__((visibility("hidden"))) constinit thread_local culprit::runtime::TickSave culprit_tick_save = {};

/// Set once a recorder has answered: signals reach the program at its system calls only.
extern "C" __attribute__((visibility("hidden"))) constinit volatile uint8_t culprit_signals_wait = 0;

namespace culprit::runtime {
namespace {

/// Ticks granted at a time while nothing needs to happen at a known tick: years.
constexpr int64_t kUnlimitedTicks = int64_t{1} << 60;

uint32_t threads = 0;

void set_up_thread(format::ThreadState& thread) {
  thread.number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  thread.observe = culprit_initial_observe;
  culprit_stacks_attach(&thread);
  attach_points(thread);
  count_thread(thread);
  trace_thread(thread);
}

}  // namespace
}  // namespace culprit::runtime

extern "C" __attribute__((visibility("hidden"))) void culprit_tick_slow_part(culprit::runtime::TickSave* save) {
  using namespace culprit::runtime;
  using culprit::format::kSignalsWait;
  culprit::format::ThreadState& thread = culprit_thread;
  if (thread.granted == 0) set_up_thread(thread);
  // Counting is exact: what the assembly added is taken back before the thread says how many ticks it has passed.
  thread.budget -= kTicksWhileSaving;
  const long asked =
      raw_syscall(culprit::format::kTickCall, as_argument(&thread), static_cast<long>(save->blocks), as_argument(save));
  const bool recorded = asked > 0;
  if (recorded && culprit_signals_wait == 0) culprit_signals_wait = 1;
  save->ends_by_call = save->blocks != 0 || (recorded && (asked & kSignalsWait) != 0);
  const int64_t more = recorded ? asked & ~kSignalsWait : kUnlimitedTicks;
  thread.granted += static_cast<uint64_t>(more);
  thread.budget += more;
}
