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

namespace culprit::runtime {
namespace {

/// Ticks granted at a time while nothing needs to happen at a known tick: years.
constexpr int64_t kUnlimitedTicks = int64_t{1} << 60;

void set_up_thread(format::ThreadState& thread) {
  thread.observe = culprit_initial_observe;
  culprit_stacks_attach(&thread);
  attach_points(thread);
  count_thread(thread);
  trace_thread(thread);
}

}  // namespace
}  // namespace culprit::runtime

extern "C" __attribute__((visibility("hidden"))) void culprit_tick_slow_part(culprit::runtime::TickSave*) {
  using namespace culprit::runtime;
  culprit::format::ThreadState& thread = culprit_thread;
  if (thread.granted == 0) set_up_thread(thread);
  // Counting is exact: what the assembly added is taken back before the thread says how many ticks it has passed.
  thread.budget -= kTicksWhileSaving;
  const long asked = raw_syscall(culprit::format::kTickCall, as_argument(&thread));
  const int64_t more = asked > 0 ? asked : kUnlimitedTicks;
  thread.granted += static_cast<uint64_t>(more);
  thread.budget += more;
}
