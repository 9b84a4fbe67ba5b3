#include "runtime/loader/spin.h"

#include "format/crc32c.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/call_sites.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/memory_hash.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"

extern "C" const char __executable_start[], etext[];

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::PartKind;
using format::SpinState;

constexpr int kQueued = -1;                      // SI_QUEUE
constexpr uint64_t kAsked = 0x6e6970732d6c7563;  // of the queued signal's value
constexpr int kBreakpoint = 0x80;                // SI_KERNEL, of int3
constexpr uint64_t kTrapFlag = 0x100, kResumeFlag = 0x10000;
constexpr uint8_t kInt3 = 0xcc;

constexpr long kMillisecond = 1'000'000;
constexpr long kFirstPatience = 50 * kMillisecond, kLeastPatience = 2 * kMillisecond,
               kMostPatience = 999 * kMillisecond;
constexpr uint32_t kMostSteps = 20'000, kMostStepsForSignal = 400;
constexpr uint32_t kMostHashes = 8;  // of one attempt
/// Whole attempts without a state that comes back, in one stretch of a thread, after which the user is told.
constexpr uint32_t kAttemptsBeforeWord = 6;

/// Brent's cycle detection: whether a thread comes back to a state that it has had.
struct Cycle {
  uint32_t states;       ///< that were looked at
  uint32_t next_anchor;  ///< the state at which the one to come back to is chosen anew
  uint64_t anchor[SpinState::kRegisters];
  bool hashed;  ///< the two below are the anchor's
  uint32_t state_hash, memory_hash;
  uint32_t hashes;  ///< of all memory that were taken

  void begin(const Context& context);
  /// Looks at the next state. True where it is the anchor's in everything.
  bool comes_back(const Context& context);
};

/// Recording; only the baton's holder steps.
struct Stepper {
  bool for_signal;  ///< and not for a thread that waits
  Cycle cycle;
  uint64_t ticks;     ///< of the thread that was asked about last
  uint64_t asked_at;  ///< its processor time then, in nanoseconds
  uint32_t thread;
  uint64_t entries;   ///< of the thread when it was last stepped
  uint32_t attempts;  ///< in vain, since that many entries
};
Stepper stepper;
long patience = kFirstPatience;

/// Replaying.
struct Breakpoint {
  uint64_t address;  ///< 0: none
  uint8_t covered;
  bool stepping_over;
  const SpinState* state;
  uint32_t memory_hash;
  uint64_t ticks;  ///< of the thread, as recorded
  bool in_cycle;   ///< the one below has begun
  Cycle cycle;     ///< of another plan's bodies, whose registers are not the recorded ones
  uint32_t passes, near_misses;  ///< hits with other registers; with these, but another state or memory
};
/// Of a breakpoint's hits in vain; a second or two of them, or a few rounds of the loop.
constexpr uint32_t kMostPasses = 1'000'000, kMostNearMisses = 64;
Breakpoint breakpoint;

bool in_runtime(uint64_t address) {
  return address >= word(__executable_start) && address < word(etext) + 16;
}

void take_registers(const Context& context, uint64_t* to) {
  static_assert(offsetof(Context, rflags) - offsetof(Context, r8) == (SpinState::kRegisters - 1) * 8);
  __builtin_memcpy(to, &context.r8, SpinState::kRegisters * 8);
  to[SpinState::kFlags] &= ~(kTrapFlag | kResumeFlag);
}

bool same_registers(const uint64_t* one, const uint64_t* other) {
  return __builtin_memcmp(one, other, SpinState::kRegisters * 8) == 0;
}

/// Of what any two processors keep in the same places: x87 and SSE registers.
uint32_t hash_of_state(const Context& context) {
  constexpr uint64_t kControl = 24, kControlBytes = 4, kRegisters = 32, kRegisterBytes = 128 + 256;
  uint32_t hash = format::crc32c(0, reinterpret_cast<const void*>(context.fpstate + kControl), kControlBytes);
  return format::crc32c(hash, reinterpret_cast<const void*>(context.fpstate + kRegisters), kRegisterBytes);
}

/// Of all of it, within a process.
uint32_t hash_of_whole_state(const Context& context) {
  return format::crc32c(0, reinterpret_cast<const void*>(context.fpstate), state_bytes(context.fpstate));
}

void Cycle::begin(const Context& context) {
  *this = {};
  next_anchor = 2;
  take_registers(context, anchor);
}

bool Cycle::comes_back(const Context& context) {
  ++states;
  uint64_t now[SpinState::kRegisters];
  take_registers(context, now);
  if (!same_registers(now, anchor)) {
    if (states != next_anchor) return false;
    __builtin_memcpy(anchor, now, sizeof now);
    hashed = false;
    next_anchor *= 2;
    return false;
  }
  if (is_for_trampolines(context.rip, context.rip + 1)) return false;
  const uint32_t state_now = hash_of_whole_state(context), memory_now = hash_of_program();
  const bool same = hashed && state_now == state_hash && memory_now == memory_hash;
  state_hash = state_now;
  memory_hash = memory_now;
  hashed = true;
  ++hashes;
  return same && memory_hash != 0;
}

void stop_stepping(Thread& thread, Context& context) {
  thread.steps = false;
  context.rflags &= ~kTrapFlag;
}

void tell(const Thread& thread) {
  Line line;
  line << "thread " << static_cast<uint64_t>(thread.index)
       << " has long run without a call or tick while others wait; it is not preempted, since its state does not come "
          "back and a replay could not find the place";
  const PartSource text = {0, line.text(), static_cast<uint32_t>(line.size()), PartKind::kText};
  append_event({.bytes = 0,
                .kind = EventKind::kNote,
                .flags = 0,
                .number = 0,
                .thread = thread.index,
                .check = 0,
                .result = 0,
                .ticks = ticks_of(thread)},
               &text, 1);
  Line said;
  said << "culprit: " << line.text() << "\n";
  raw(__NR_write, 2, word(said.text()), said.size());
}

void give_up(Thread& thread, Context& context) {
  stop_stepping(thread, context);
  if (stepper.for_signal) return;
  patience = patience * 2 < kMostPatience ? patience * 2 : kMostPatience;
  // One that ticks may just have a long quantum.
  const uint32_t limit = thread.tick_state == 0 ? kAttemptsBeforeWord : 2 * kAttemptsBeforeWord;
  if (++stepper.attempts == limit) tell(thread);
}

/// The thread is where it has been before, with the same memory: it waits for another one.
void hand_over(Thread& thread, Context& context) {
  stop_stepping(thread, context);
  if (!stepper.for_signal) patience = kLeastPatience;
  SpinState state = {};
  take_registers(context, state.registers);
  state.state_hash = hash_of_state(context);
  const PartSource part = {0, &state, sizeof state, PartKind::kSpin};
  append_event({.bytes = 0,
                .kind = EventKind::kSpin,
                .flags = 0,
                .number = 0,
                .thread = thread.index,
                .check = stepper.cycle.memory_hash,
                .result = static_cast<int64_t>(context.rip),
                .ticks = ticks_of(thread)},
               &part, 1);
  hand_baton_on(thread);
  append_event({.bytes = 0,
                .kind = EventKind::kSpin,
                .flags = 0,
                .number = format::kSpinGoesOn,
                .thread = thread.index,
                .check = 0,
                .result = 0,
                .ticks = ticks_of(thread)});
  thread.call_number = kNoCall;
  give_signals(thread, context, 0);
}

/// Whether the next instruction would show the trap flag to the program.
bool pushes_flags(uint64_t instruction) {
  if (!runtime.space.covers(instruction, instruction + 2)) return false;
  const auto* code = reinterpret_cast<const uint8_t*>(instruction);
  constexpr uint8_t kPushFlags = 0x9c, kWide = 0x48, kNarrow = 0x66;
  return code[0] == kPushFlags || ((code[0] == kWide || code[0] == kNarrow) && code[1] == kPushFlags);
}

void step(Thread& thread, Context& context) {
  if (in_runtime(context.rip) || pushes_flags(context.rip)) return stop_stepping(thread, context);
  Cycle& cycle = stepper.cycle;
  if (cycle.states == (stepper.for_signal ? kMostStepsForSignal : kMostSteps) || cycle.hashes == kMostHashes)
    return give_up(thread, context);
  if (cycle.comes_back(context)) hand_over(thread, context);
}

// ---- replaying

void write_code(uint64_t address, uint8_t byte) {
  const long memory = raw(__NR_openat, AT_FDCWD, word("/proc/self/mem"), O_RDWR | O_CLOEXEC, 0);
  const long put = failed(memory) ? memory : raw(__NR_pwrite64, memory, word(&byte), 1, address);
  if (put != 1) fail("cannot set a breakpoint where the recorded thread spins", put);
  raw(__NR_close, memory);
}

void remove_breakpoint() {
  write_code(breakpoint.address, breakpoint.covered);
  breakpoint = {};
}

bool is_recorded_state(const Context& context) {
  uint64_t now[SpinState::kRegisters];
  take_registers(context, now);
  for (unsigned each = 0; each < SpinState::kRegisters; ++each) {
    if (now[each] == breakpoint.state->registers[each]) continue;
    if (!runtime.other_plan || !is_plans_own(breakpoint.state->registers[each])) return false;
  }
  ++breakpoint.near_misses;
  if (hash_of_state(context) != breakpoint.state->state_hash) return false;
  if (runtime.other_plan || session_control() != nullptr) return true;
  const uint32_t hash = hash_of_program();
  return hash == 0 || hash == breakpoint.memory_hash;
}

/// Another plan's bodies keep other values in registers that the spinning code only preserves. There the loop has to show
/// anew, between the same ticks, that it cannot end by itself.
bool spins_in_this_plan(const Thread& thread, const Context& context) {
  if (!runtime.other_plan || ticks_of(thread) != breakpoint.ticks) return false;
  if (breakpoint.in_cycle) return breakpoint.cycle.comes_back(context);
  breakpoint.cycle.begin(context);
  breakpoint.in_cycle = true;
  return false;
}

void reach_breakpoint(Thread& thread, Context& context) {
  context.rip = breakpoint.address;
  if (runtime.altered) return remove_breakpoint();
  if (!is_recorded_state(context) && !spins_in_this_plan(thread, context)) {
    if (breakpoint.near_misses > kMostNearMisses || ++breakpoint.passes > kMostPasses) {
      const bool state_differs = hash_of_state(context) != breakpoint.state->state_hash;
      diverge({EventKind::kSpin, thread.index, 0, 0, nullptr, context.rip},
              breakpoint.near_misses <= kMostNearMisses ? "does not come to the state in which it waited by spinning"
              : state_differs                           ? "waits by spinning with other floating point registers"
                                                        : "waits by spinning with other memory");
    }
    // The instruction itself, and then the breakpoint again.
    write_code(breakpoint.address, breakpoint.covered);
    breakpoint.stepping_over = thread.steps = true;
    context.rflags |= kTrapFlag;
    return;
  }
  remove_breakpoint();
  next_event();
  wait_for_turn(thread);
  if (!runtime.altered) {
    const Event* event = next_event();
    if (event->kind != EventKind::kSpin || event->number != format::kSpinGoesOn) {
      diverge({EventKind::kSpin, thread.index, 0, 0, nullptr, context.rip}, "goes on spinning");
    }
  }
  thread.call_number = kNoCall;
  give_signals(thread, context, 0);
  stack_comes_in_force(thread);
  end_where_recording_ends();
}

void start_stepping(Thread& thread, Context& context, bool for_signal) {
  stepper.for_signal = for_signal;
  stepper.cycle.begin(context);
  thread.steps = true;
  context.rflags |= kTrapFlag;
}

bool can_step(const Thread& thread, const Context& context) {
  const bool is_its_turn = runtime.mode == Mode::kRecord && !thread.steps && baton_holder() == &thread;
  return is_its_turn && !in_runtime(context.rip) && !pushes_flags(context.rip);
}

}  // namespace

__kernel_timespec patience_with_holder() {
  return {0, __atomic_load_n(&patience, __ATOMIC_RELAXED)};
}

void ask_about_holder(Thread& holder) {
  // Not only once: the signal is lost where another SIGTRAP, that of a step, is just pending.
  Siginfo siginfo = {};
  siginfo.number = kSigtrap;
  siginfo.code = kQueued;
  siginfo.fields[1] = kAsked;
  raw(__NR_rt_tgsigqueueinfo, runtime.process, holder.id, kSigtrap, word(&siginfo));
}

bool begin_to_step(Thread& thread, const Siginfo& siginfo, Context& context) {
  if (siginfo.code != kQueued || siginfo.fields[1] != kAsked) return false;
  if (!can_step(thread, context)) return true;
  // Several may wait, and ask at the same time; and it may have had no processor meanwhile.
  const uint64_t now = processor_time();
  const bool is_same = thread.index == stepper.thread;
  if (is_same && now - stepper.asked_at < static_cast<uint64_t>(kLeastPatience) / 2) return true;
  stepper.asked_at = now;
  // One that ticks comes to the end of its quantum.
  const uint64_t ticks = ticks_of(thread);
  const bool ticks_pass = ticks != stepper.ticks || !is_same;
  stepper.ticks = ticks;
  stepper.thread = thread.index;
  if (ticks_pass && thread.tick_state != 0) return true;
  if (stepper.entries != thread.entries) stepper.attempts = 0;
  stepper.entries = thread.entries;
  start_stepping(thread, context, false);
  return true;
}

void step_for_signal(Thread& thread, Context& context) {
  if (can_step(thread, context)) start_stepping(thread, context, true);
}

bool answer_step(Thread& thread, const Siginfo& siginfo, Context& context) {
  if (siginfo.code == kBreakpoint && breakpoint.address != 0 && context.rip == breakpoint.address + 1) {
    reach_breakpoint(thread, context);
    return true;
  }
  // TRAP_TRACE, or another TRAP_ code where a hypervisor has lost what the processor said of the cause.
  if (siginfo.code <= 0 || siginfo.code == kBreakpoint || !thread.steps) return false;
  if (runtime.mode == Mode::kRecord) {
    step(thread, context);
    return true;
  }
  stop_stepping(thread, context);
  if (breakpoint.stepping_over) {
    breakpoint.stepping_over = false;
    write_code(breakpoint.address, kInt3);
  }
  return true;
}

void end_steps_at_call(Thread& thread, Context& context) {
  if (!thread.steps) return;
  stop_stepping(thread, context);
  context.r11 &= ~kTrapFlag;
}

void watch_for_spin(const Thread& thread) {
  if (runtime.mode != Mode::kReplay || runtime.altered || breakpoint.address != 0) return;
  const Event* event = peek_event();
  if (event == nullptr || event->kind != EventKind::kSpin || event->thread != thread.index || event->number != 0)
    return;
  const PartView part(*event);
  if (!part.valid() || part.kind() != PartKind::kSpin || part.size() != sizeof(SpinState)) {
    fail("a spinning thread's state in the recording is malformed");
  }
  const auto address = static_cast<uint64_t>(event->result);
  if (!runtime.space.covers(address, address + 1)) fail("a thread of the recording spins where nothing is");
  breakpoint.address = address;
  breakpoint.covered = *reinterpret_cast<const uint8_t*>(address);
  breakpoint.state = reinterpret_cast<const SpinState*>(part.bytes());
  breakpoint.memory_hash = event->check;
  breakpoint.ticks = event->ticks;
  write_code(address, kInt3);
}

}  // namespace culprit::loader
