#include "runtime/loader/signals.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/altered_world.h"
#include "runtime/loader/points.h"

#include "runtime/loader/baton.h"
#include "runtime/loader/entries.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/memory_hash.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/spin.h"

extern "C" const char __executable_start[], etext[];

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr uint64_t kFaults =
    signal_bit(kSigsegv) | signal_bit(kSigbus) | signal_bit(kSigfpe) | signal_bit(kSigill) | signal_bit(kSigtrap);
constexpr uint64_t kIgnoredByDefault =
    signal_bit(kSigchld) | signal_bit(kSigcont) | signal_bit(kSigurg) | signal_bit(kSigwinch);
constexpr uint64_t kStopping =
    signal_bit(kSigtstp) | signal_bit(kSigttin) | signal_bit(kSigttou) | signal_bit(kSigstop);
/// Never blocked in the kernel: the runtime lives by them.
constexpr uint64_t kNeverBlocked = kFaults | signal_bit(kSigsys);

bool fatal_by_default(int number) {
  return !((kIgnoredByDefault | kStopping) & signal_bit(number));
}

bool in_runtime(uint64_t address) {
  return address >= word(__executable_start) && address < word(etext) + 16;
}

/// Whether an interrupted thread has nothing of the runtime left to do before it goes on in the program.
bool runs_own_code(const Context& context) {
  return !in_runtime(context.rip) || (context.rip >= word(rewritten_leave) && context.rip < word(rewritten_end));
}

/// Ends an interruptible call that the thread is about to make or makes.
void interrupt(Thread& thread, Context& context) {
  thread.arrived = 1;
  if (context.rip >= word(interruptible_check) && context.rip <= word(interruptible_gate)) {
    context.rip = word(interruptible_refused);
  }
}

void set_kernel_action(int number, void (*handler)(int, Siginfo*, Context*), uint64_t more_flags) {
  const KernelSigaction action = {word(reinterpret_cast<void*>(handler)),
                                  kSaSiginfo | kSaOnStack | kSaNoDefer | kSaRestorer | more_flags,
                                  word(reinterpret_cast<void*>(&signal_return)), 0};
  raw(__NR_rt_sigaction, number, word(&action), 0, 8);
}

void set_kernel_default(int number, uint64_t handler) {
  const KernelSigaction action = {handler, kSaRestorer, word(reinterpret_cast<void*>(&signal_return)), 0};
  raw(__NR_rt_sigaction, number, word(&action), 0, 8);
}

/// Makes the kernel do for `number` what the program's action needs. A replay takes no signals from outside.
void follow_action(int number) {
  if (runtime.mode == Mode::kReplay || number == kSigkill || number == kSigstop || number == kSigsys) return;
  if (kFaults & signal_bit(number)) return;  // always the runtime's
  const KernelSigaction& action = runtime.actions[number];
  const bool catches = action.handler > 1 || (action.handler == 0 && fatal_by_default(number));
  if (catches) {
    set_kernel_action(number, on_async_signal, action.flags & (kSaNoCldStop | kSaNoCldWait));
  } else {
    set_kernel_default(number, action.handler);
  }
}

long change_action(const uint64_t* arguments) {
  const auto number = static_cast<int>(arguments[0]);
  if (number < 1 || number > kSignals || arguments[3] != 8) return -EINVAL;
  const auto* fresh = reinterpret_cast<const KernelSigaction*>(arguments[1]);
  auto* old = reinterpret_cast<KernelSigaction*>(arguments[2]);
  if (fresh != nullptr && (number == kSigkill || number == kSigstop)) return -EINVAL;
  const KernelSigaction former = runtime.actions[number];
  if (fresh != nullptr) {
    runtime.actions[number] = *fresh;
    runtime.actions[number].mask &= ~(signal_bit(kSigkill) | signal_bit(kSigstop));
    follow_action(number);
  }
  if (old != nullptr) *old = former;
  return 0;
}

long change_mask(Call& call) {
  Thread& thread = current_thread();
  const auto* fresh = reinterpret_cast<const uint64_t*>(call.arguments[1]);
  auto* old = reinterpret_cast<uint64_t*>(call.arguments[2]);
  if (call.arguments[3] != 8) return -EINVAL;
  const uint64_t former = thread.blocked;
  if (fresh != nullptr) {
    switch (static_cast<int>(call.arguments[0])) {
      case 0:
        set_blocked(thread, *call.context, former | *fresh);
        break;
      case 1:
        set_blocked(thread, *call.context, former & ~*fresh);
        break;
      case 2:
        set_blocked(thread, *call.context, *fresh);
        break;
      default:
        return -EINVAL;
    }
  }
  if (old != nullptr) *old = former;
  return 0;
}

long change_alternate_stack(Call& call) {
  Thread& thread = current_thread();
  const auto* fresh = reinterpret_cast<const AlternateStack*>(call.arguments[0]);
  auto* old = reinterpret_cast<AlternateStack*>(call.arguments[1]);
  AlternateStack former = thread.alternate_stack;
  const bool on_it = is_on_alternate_stack(thread, call.context->rsp);
  former.flags |= on_it ? kOnStack : 0;
  if (fresh != nullptr) {
    if (on_it) return -EPERM;
    const int mode = fresh->flags & ~static_cast<int>(0x80000000);  // SS_AUTODISARM is left out
    if (mode != 0 && mode != kOnStack && mode != kStackDisabled) return -EINVAL;
    if (mode != kStackDisabled && fresh->bytes < 2048) return -ENOMEM;
    thread.alternate_stack = *fresh;
    thread.alternate_stack.flags = mode == kStackDisabled ? kStackDisabled : 0;
    if (mode == kStackDisabled) thread.alternate_stack.base = thread.alternate_stack.bytes = 0;
  }
  if (old != nullptr) {
    former.pad = 0;
    *old = former;
  }
  return 0;
}

long suspend(Call& call) {
  if (call.arguments[1] != 8) return -EINVAL;
  Thread& thread = current_thread();
  const uint64_t mask = *reinterpret_cast<const uint64_t*>(call.arguments[0]);
  if (runtime.mode != Mode::kReplay) {
    const uint64_t kernel_mask = mask & ~kNeverBlocked;
    const uint64_t arguments[6] = {word(&kernel_mask), 8, 0, 0, 0, 0};
    interruptible(__NR_rt_sigsuspend, arguments, &thread.arrived);
  }
  wait_under_mask(thread, mask);
  return -EINTR;
}

/// Calls that go on after a handler with SA_RESTART.
bool restarts(uint64_t number) {
  switch (number) {
    case __NR_read:
    case __NR_write:
    case __NR_readv:
    case __NR_writev:
    case __NR_preadv:
    case __NR_pwritev:
    case __NR_pread64:
    case __NR_pwrite64:
    case __NR_ioctl:
    case __NR_open:
    case __NR_openat:
    case __NR_openat2:
    case __NR_wait4:
    case __NR_waitid:
    case __NR_flock:
    case __NR_fcntl:
    case __NR_accept:
    case __NR_accept4:
    case __NR_connect:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_futex:
    case __NR_getrandom:
    case __NR_mq_timedsend:
    case __NR_mq_timedreceive:
    case __NR_splice:
    case __NR_sendfile:
      return true;
    default:
      return false;
  }
}

/// Acts on one signal. True when a handler is entered.
bool act_on(Thread& thread, Context& context, Siginfo& siginfo, uint64_t call_number) {
  const int number = siginfo.number;
  KernelSigaction& action = runtime.actions[number];
  if (action.handler == 1 || (action.handler == 0 && !fatal_by_default(number))) return false;
  if (action.handler == 0) die_by_signal(number);
  const bool interrupted = static_cast<int64_t>(context.rax) == -EINTR;
  if (interrupted && call_number != kNoCall && (action.flags & kSaRestart) && restarts(call_number)) {
    context.rip -= 2;
    context.rax = call_number;
  }
  enter_handler(thread, context, siginfo, action);
  return true;
}

bool take_pending(Thread& thread, Siginfo& to) {
  // A handler may add at the end while this runs; it never removes.
  for (uint32_t each = 0; each < thread.pending_count; ++each) {
    if (thread.blocked & signal_bit(thread.pending[each].siginfo.number)) continue;
    const uint64_t everything = ~uint64_t{0};
    uint64_t former;
    raw(__NR_rt_sigprocmask, 0, word(&everything), word(&former), 8);
    to = thread.pending[each].siginfo;
    for (uint32_t after = each + 1; after < thread.pending_count; ++after)
      thread.pending[after - 1] = thread.pending[after];
    thread.pending_count = thread.pending_count - 1;
    raw(__NR_rt_sigprocmask, 2, word(&former), 0, 8);
    return true;
  }
  return false;
}

/// The next signal for this point: from the queue or from the log.
bool next_signal(Thread& thread, uint8_t where, Siginfo& siginfo) {
  if (runtime.mode == Mode::kReplay) {
    const Event* event = peek_event();
    if (event == nullptr || event->kind != EventKind::kSignal || event->thread != thread.index ||
        (event->flags & format::kAtEntry) != where) {
      return false;
    }
    next_event();
    const PartView part(*event);
    if (!part.valid() || part.size() != sizeof siginfo || event->number < 1 || event->number > kSignals) {
      fail("a signal in the recording is malformed");
    }
    __builtin_memcpy(&siginfo, part.bytes(), sizeof siginfo);
    return true;
  }
  if (thread.pending_count == 0 || !take_pending(thread, siginfo)) return false;
  const PartSource part = {0, &siginfo, sizeof siginfo, format::PartKind::kMemory};
  append_event({.bytes = 0,
                .kind = EventKind::kSignal,
                .flags = where,
                .number = static_cast<uint16_t>(siginfo.number),
                .thread = thread.index,
                .check = 0,
                .result = 0,
                .ticks = 0},
               &part, 1);
  return true;
}

[[noreturn]] void log_and_die(const Thread& thread, int number, uint8_t flags, uint32_t check, const PartSource* parts,
                              uint32_t count) {
  append_event({.bytes = 0,
                .kind = EventKind::kExit,
                .flags = static_cast<uint8_t>(format::kFatal | flags),
                .number = static_cast<uint16_t>(number),
                .thread = thread.index,
                .check = check,
                .result = 0,
                .ticks = 0},
               parts, count);
  kill_by(number);
}

}  // namespace

void kill_by(int number) {
  set_kernel_default(number, 0);
  const uint64_t nothing = 0;
  raw(__NR_rt_sigprocmask, 2, word(&nothing), 0, 8);
  const long self = raw(__NR_gettid);
  raw(__NR_tgkill, raw(__NR_getpid), self, number);
  raw(__NR_exit_group, 128 + number);
  __builtin_trap();
}

/// Nobody knows where in its code; a replay ends after what came before.
[[noreturn]] void die_at_limit(const Thread& thread) {
  log_and_die(thread, kSigalrm, format::kInOwnCode, 0, nullptr, 0);
}

uint64_t kernel_mask(const Thread& thread) {
  return thread.blocked & ~kNeverBlocked;
}

void set_blocked(Thread& thread, Context& context, uint64_t mask) {
  thread.blocked = mask & ~(signal_bit(kSigkill) | signal_bit(kSigstop));
  if (runtime.mode != Mode::kReplay) context.mask = kernel_mask(thread);
}

void inherited_signals(uint64_t& ignored, uint64_t& blocked) {
  ignored = 0;
  for (int number = 1; number <= kSignals; ++number) {
    KernelSigaction action = {};
    raw(__NR_rt_sigaction, number, 0, word(&action), 8);
    if (action.handler == 1) ignored |= signal_bit(number);
  }
  raw(__NR_rt_sigprocmask, 2, 0, word(&blocked), 8);
}

void start_signals(Thread& thread, uint64_t ignored, uint64_t blocked) {
  thread.alternate_stack = {0, kStackDisabled, 0, 0};
  thread.blocked = blocked;
  if (runtime.mode != Mode::kReplay) {
    const uint64_t kernel_mask = blocked & ~kNeverBlocked;
    raw(__NR_rt_sigprocmask, 2, word(&kernel_mask), 0, 8);
  }
  reset_actions(ignored);
  set_kernel_action(kSigsys, on_system_call, 0);
  for (int number = 1; number <= kSignals; ++number) {
    if (kFaults & signal_bit(number)) set_kernel_action(number, on_fault, 0);
  }
}

void reset_actions(uint64_t ignored) {
  for (int number = 1; number <= kSignals; ++number) {
    runtime.actions[number] = {ignored & signal_bit(number) ? uint64_t{1} : 0, 0, 0, 0};
    follow_action(number);
  }
}

void queue_signal(Thread& thread, const Siginfo& siginfo, Context& context) {
  const bool standard = siginfo.number < 32;
  bool known = false;
  for (uint32_t each = 0; each < thread.pending_count; ++each) {
    known = known || thread.pending[each].siginfo.number == siginfo.number;
  }
  constexpr uint32_t kMost = sizeof thread.pending / sizeof thread.pending[0];
  if (!(standard && known) && thread.pending_count < kMost) {
    thread.pending[thread.pending_count].siginfo = siginfo;
    thread.pending_count = thread.pending_count + 1;
  }
  interrupt(thread, context);
  // Nothing the program does next may ever enter the runtime, and dying needs no handler.
  if (runtime.actions[siginfo.number].handler == 0 && runs_own_code(context)) die_by_signal(siginfo.number, true);
  const bool is_handled = runtime.actions[siginfo.number].handler > 1;
  if (is_handled && !(thread.blocked & signal_bit(siginfo.number))) step_for_signal(thread, context);
}

void end_from_outside(Thread& thread, Context& context) {
  const Thread* holder = baton_holder();
  if (holder != nullptr && holder != &thread) {
    raw(__NR_tgkill, runtime.process, holder->id, kSigtrap);
    return;
  }
  interrupt(thread, context);
  if (holder == &thread && runs_own_code(context)) die_at_limit(thread);
}

long signal_call(Call& call) {
  switch (call.number) {
    case __NR_rt_sigaction:
      return change_action(call.arguments);
    case __NR_rt_sigprocmask:
      return change_mask(call);
    case __NR_sigaltstack:
      return change_alternate_stack(call);
    case __NR_rt_sigsuspend:
      return suspend(call);
    default:
      leave_handler(current_thread(), *call.context);
      call.context_replaced = true;
      return 0;
  }
}

const uint64_t* mask_during(const Call& call) {
  switch (call.number) {
    case __NR_ppoll:
      return reinterpret_cast<const uint64_t*>(call.arguments[3]);
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
      return reinterpret_cast<const uint64_t*>(call.arguments[4]);
    case __NR_pselect6: {
      const auto* pair = reinterpret_cast<const uint64_t*>(call.arguments[5]);
      return pair == nullptr ? nullptr : reinterpret_cast<const uint64_t*>(pair[0]);
    }
    default:
      return nullptr;
  }
}

void wait_under_mask(Thread& thread, uint64_t mask) {
  thread.mask_after_wait = thread.blocked;
  thread.waited_under_mask = true;
  thread.blocked = mask & ~(signal_bit(kSigkill) | signal_bit(kSigstop));
}

void give_altered_signal(Thread& thread, Context& context, Siginfo& siginfo) {
  thread.call_number = kNoCall;
  context.rax = 0;  // the call that sent it
  act_on(thread, context, siginfo, kNoCall);
}

bool give_signals(Thread& thread, Context& context, uint8_t where) {
  if (launcher_ends_program()) die_at_limit(thread);
  bool entered = false;
  thread.arrived = 0;
  const uint64_t call_number = where == 0 ? thread.call_number : kNoCall;
  Siginfo siginfo;
  while (next_signal(thread, where, siginfo)) {
    if (where == format::kAtEntry && !entered && runtime.actions[siginfo.number].handler > 1) context.rip -= 2;
    entered = act_on(thread, context, siginfo, entered ? kNoCall : call_number) || entered;
  }
  if (thread.waited_under_mask) {  // no handler took the former mask into its frame
    thread.waited_under_mask = false;
    set_blocked(thread, context, thread.mask_after_wait);
  }
  return entered;
}

void end_where_recording_ends() {
  if (runtime.mode != Mode::kReplay || runtime.altered) return;
  const Event* event = peek_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
  if (event->kind == EventKind::kExit && (event->flags & format::kInOwnCode)) {
    next_event();
    end_replay(format::ReplayState::kFinished, 0, event->number);
  }
  watch_for_spin(current_thread());
}

bool handlers_are_set() {
  constexpr int kLibrarysFirst = 32, kLibrarysLast = 33;  // cancellation and setxid
  for (int number = 1; number <= kSignals; ++number) {
    if (number == kLibrarysFirst || number == kLibrarysLast || (kFaults & signal_bit(number))) continue;
    if (runtime.actions[number].handler > 1) return true;
  }
  return false;
}

void die_in_deadlock(const Thread& thread, const WaitingThreads& threads) {
  const PartSource part = {0, threads.parts(), threads.bytes(), format::PartKind::kWaits};
  log_and_die(thread, kSigabrt, format::kDeadlock, 0, &part, 1);
}

void die_by_signal(int number, bool in_own_code) {
  Thread& thread = current_thread();
  tell_agent_of_fault({.signal = number, .code = 0, .address = 0, .instruction = 0, .stack = 0});
  if (runtime.altered) end_altered(0, number);
  stop_before_end(format::ReplayPoint::kCrash, thread, 0, number);
  if (runtime.altered) end_altered(0, number);
  const FinalMemory memory;
  if (runtime.mode == Mode::kReplay) {
    const Event* event = next_event();
    const bool same = event != nullptr && event->kind == EventKind::kExit && event->number == number;
    if (!same)
      diverge({EventKind::kExit, thread.index, static_cast<uint32_t>(number), 0, nullptr, 0}, "ends by a signal");
    end_replay(format::ReplayState::kFinished, 0, number, memory.compare(*event));
  }
  log_and_die(thread, number, in_own_code ? format::kInOwnCode : 0, memory.all(), memory.parts(), FinalMemory::kParts);
}

}  // namespace culprit::loader
