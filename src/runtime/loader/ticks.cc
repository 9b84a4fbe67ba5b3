#include "runtime/loader/ticks.h"

#include "format/runtime_abi.h"
#include "format/tick_call.h"
#include "runtime/loader/altered_world.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/layout.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/start_core.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::ThreadState;

/// Quanta are to take so many nanoseconds of processor time. A tick takes from 2 ns (a program that does little but
/// tick) to microseconds (a loop that counts on its own between two), so their lengths follow what was seen.
constexpr uint64_t kQuantumTime = 10'000'000;
constexpr long kLeastQuantum = 1'000, kFirstQuantum = 100'000, kMostQuantum = 5'000'000;
/// More than any handler passes.
constexpr int64_t kTicksInHandler = int64_t{1} << 50;

ThreadState* state_of(const Thread& thread) {
  return reinterpret_cast<ThreadState*>(thread.tick_state);
}

/// Where the recording ends before the program does, when `set`.
struct RegionEnd {
  bool set;
  uint32_t thread;
  uint64_t ticks;
} region_end;

/// Of `quantum` ticks from `ticks` on those that the recording still has.
long within_region(const Thread& thread, uint64_t ticks, long quantum) {
  if (!region_end.set || runtime.mode != Mode::kRecord || thread.index != region_end.thread) return quantum;
  if (ticks >= region_end.ticks) return quantum;
  const uint64_t left = region_end.ticks - ticks;
  return left < static_cast<uint64_t>(quantum) ? static_cast<long>(left) : quantum;
}

/// The program goes on unrecorded.
void end_region(const Thread& thread, uint64_t ticks) {
  if (!region_end.set || runtime.mode != Mode::kRecord || thread.index != region_end.thread) return;
  if (ticks < region_end.ticks) return;
  runtime.mode = Mode::kPass;
  runtime.watched = false;
}

}  // namespace

void set_region_end(const char* words) {
  if (*words < '0' || *words > '9') return;
  region_end.thread = static_cast<uint32_t>(number_of(words));
  while (*words && *words != ':') ++words;
  region_end.ticks = *words == ':' ? number_of(words + 1) : 0;
  region_end.set = region_end.ticks != 0;
}

uint64_t processor_time() {
  __kernel_timespec now = {};
  raw(__NR_clock_gettime, /*CLOCK_THREAD_CPUTIME_ID*/ 3, word(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t ticks_of(const Thread& thread) {
  const ThreadState* state = state_of(thread);
  return state == nullptr ? 0 : state->granted - static_cast<uint64_t>(state->budget);
}

bool signals_wait(const Thread& thread) {
  for (uint32_t each = 0; each < thread.pending_count; ++each) {
    if (!(thread.blocked & signal_bit(thread.pending[each].siginfo.number))) return true;
  }
  return false;
}

/// Recording: by what the last quantum took.
long next_quantum(Thread& thread) {
  const uint64_t now = processor_time();
  const uint64_t took = now - thread.quantum_began;
  if (thread.quantum == 0) {
    thread.quantum = kFirstQuantum;
  } else if (took > 2 * kQuantumTime) {
    const long shorter = static_cast<long>(static_cast<uint64_t>(thread.quantum) * kQuantumTime / took);
    thread.quantum = shorter > kLeastQuantum ? shorter : kLeastQuantum;
  } else if (took < kQuantumTime / 2) {
    thread.quantum = thread.quantum * 2 < kMostQuantum ? thread.quantum * 2 : kMostQuantum;
  }
  thread.quantum_began = now;
  return thread.quantum;
}

/// What the tick's slow path is told.
long told(Thread& thread, long granted, uint8_t flags) {
  const bool signals = flags & format::kSignalsCame;
  thread.ticked = thread.ticked || signals;
  return signals ? granted | format::kSignalsWait : granted;
}

/// Of `granted` ticks those before the session's point or an overflow of the stack; the rest is granted there.
long grant(Thread& thread, uint64_t ticks, long granted) {
  const long now = ticks_until_overflow(thread, ticks, ticks_until_point(thread, ticks, granted));
  thread.granted_later = granted - now;
  return now;
}

long tick_call(Call& call) {
  Thread& thread = current_thread();
  const uint64_t state = call.arguments[0];
  if (!runtime.space.covers(state, state + sizeof(ThreadState))) return -EFAULT;
  const bool known = thread.tick_state == state;
  thread.tick_state = state;
  thread.ticked = call.arguments[1] != 0;
  const uint64_t ticks = ticks_of(thread);
  if (!known) {
    leave_start_core();
    watch_thread(thread);
  }
  if (runtime.mode == Mode::kReplay) {
    if (runtime.altered) return altered_tick(thread);
    if (thread.granted_later > 0) {
      // Not in the log: the thread was to ask at a point before it has passed what the log grants.
      const long rest = thread.granted_later;
      is_tick_point(thread, ticks, call.context->rip);
      if (runtime.altered) return altered_tick(thread);
      return grant(thread, ticks, rest);
    }
    const Event* event = next_event();
    if (event->kind != EventKind::kPreempt || event->ticks != ticks) {
      const uint64_t arguments[6] = {ticks, 0, 0, 0, 0, 0};
      diverge({EventKind::kPreempt, thread.index, 0, 0, arguments, call.context->rip}, "ends its quantum of ticks");
    }
    return told(thread, grant(thread, ticks, event->result), event->flags);
  }
  // The quantum that follows is chosen first: a change of priorities that is due comes before others run.
  const long longest = in_chaos() ? kMostQuantum : next_quantum(thread);
  const long quantum = within_region(thread, ticks, random_quantum(longest, ticks - thread.ticks_counted));
  thread.ticks_counted = ticks;
  yield_baton(thread);
  const uint8_t flags = signals_wait(thread) ? format::kSignalsCame : uint8_t{0};
  append_event({.bytes = 0,
                .kind = EventKind::kPreempt,
                .flags = flags,
                .number = 0,
                .thread = thread.index,
                .check = 0,
                .result = quantum,
                .ticks = ticks});
  end_region(thread, ticks);
  return told(thread, quantum, flags);
}

void set_quantum(Thread& thread) {
  ThreadState* state = state_of(thread);
  if (state == nullptr || thread.frame_in_tick != 0 || runtime.altered) return;
  const uint64_t ticks = ticks_of(thread);
  int64_t left;
  if (runtime.mode == Mode::kReplay) {
    const Event* event = peek_event();
    if (event == nullptr || event->kind != EventKind::kPreempt || event->number != format::kQuantumSet) return;
    next_event();
    left = grant(thread, ticks, event->result + 1) - 1;
  } else {
    if (!in_chaos() || runtime.threads_alive != 2) return;
    left =
        within_region(thread, ticks, random_quantum(kMostQuantum, 0)) - 1;  // the tick after the last one asks for more
    thread.ticks_counted = ticks;
    append_event({.bytes = 0,
                  .kind = EventKind::kPreempt,
                  .flags = 0,
                  .number = format::kQuantumSet,
                  .thread = thread.index,
                  .check = 0,
                  .result = left,
                  .ticks = ticks});
  }
  state->budget = left;
  state->granted = ticks + static_cast<uint64_t>(left);
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

void notice_jump_out_of_tick(Thread& thread, uint64_t stack_pointer) {
  const uint64_t frame = thread.frame_in_tick;
  if (frame == 0) return;
  const bool is_above = frame > kStackTop - kDeepStackBytesMost && stack_pointer > frame && stack_pointer < kStackTop;
  if (runtime.mode == Mode::kReplay && !runtime.altered) {
    // Frames of other plans have other sizes, so the log says where it was seen.
    wait_for_turn(thread);
    const Event* event = peek_event();
    if (event == nullptr || event->kind != EventKind::kPreempt || event->number != format::kHandlerLeft) return;
    next_event();
  } else if (!is_above) {
    return;
  } else if (runtime.mode == Mode::kRecord) {
    append_event({.bytes = 0,
                  .kind = EventKind::kPreempt,
                  .flags = 0,
                  .number = format::kHandlerLeft,
                  .thread = thread.index,
                  .check = 0,
                  .result = 0,
                  .ticks = ticks_of(thread)});
  }
  leave_handler_in_tick(thread, frame);
}

}  // namespace culprit::loader
