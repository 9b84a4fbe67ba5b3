#include "runtime/loader/ticks.h"

#include "format/runtime_abi.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::ThreadState;

/// About 10 ms of a program that does little but tick.
constexpr long kQuantum = 5'000'000;
/// More than any handler passes.
constexpr int64_t kTicksInHandler = int64_t{1} << 50;

ThreadState* state_of(const Thread& thread) {
  return reinterpret_cast<ThreadState*>(thread.tick_state);
}

}  // namespace

uint64_t ticks_of(const Thread& thread) {
  const ThreadState* state = state_of(thread);
  return state == nullptr ? 0 : state->granted - static_cast<uint64_t>(state->budget);
}

long tick_call(Call& call) {
  Thread& thread = current_thread();
  const uint64_t state = call.arguments[0];
  if (!runtime.space.covers(state, state + sizeof(ThreadState))) return -EFAULT;
  thread.tick_state = state;
  thread.ticked = true;
  const uint64_t ticks = ticks_of(thread);
  if (runtime.mode == Mode::kReplay) {
    const Event* event = next_event();
    if (event->kind != EventKind::kPreempt || event->ticks != ticks) {
      const uint64_t arguments[6] = {ticks, 0, 0, 0, 0, 0};
      diverge({EventKind::kPreempt, thread.index, 0, 0, arguments, call.context->rip}, "ends its quantum of ticks");
    }
    return event->result;
  }
  yield_baton(thread);
  const long quantum = random_quantum(kQuantum);
  append_event({.bytes = 0,
                .kind = EventKind::kPreempt,
                .flags = 0,
                .number = 0,
                .thread = thread.index,
                .check = 0,
                .result = quantum,
                .ticks = ticks});
  return quantum;
}

void enter_handler_in_tick(Thread& thread, uint64_t frame) {
  ThreadState* state = state_of(thread);
  if (!thread.in_tick || thread.frame_in_tick != 0 || state == nullptr) return;
  thread.frame_in_tick = frame;
  state->granted += kTicksInHandler;
  state->budget += kTicksInHandler;
}

void leave_handler_in_tick(Thread& thread, uint64_t frame) {
  ThreadState* state = state_of(thread);
  if (thread.frame_in_tick == 0 || thread.frame_in_tick != frame || state == nullptr) return;
  thread.frame_in_tick = 0;
  state->granted -= kTicksInHandler;
  state->budget -= kTicksInHandler;
}

}  // namespace culprit::loader
