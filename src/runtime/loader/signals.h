// Signals: the program's handlers are emulated, so that each is given at a recorded point.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// The signals that this process was started with ignored and blocked.
void inherited_signals(uint64_t& ignored, uint64_t& blocked);

/// Installs the runtime's handlers; the program starts with these signals ignored and blocked.
void start_signals(Thread& thread, uint64_t ignored, uint64_t blocked);

/// As after execve: these signals are ignored, all others have their default action.
void reset_actions(uint64_t ignored);

/// rt_sigaction, rt_sigprocmask, rt_sigreturn, rt_sigsuspend, sigaltstack. The result; rt_sigreturn changes the
/// context.
long signal_call(Call& call);

/// Gives the program the signals that wait (recording) or that the log holds for this point (replaying).
/// `where` is kAtEntry before a call runs, 0 after it. True when the program now enters a handler instead.
bool give_signals(Thread& thread, Context& context, uint8_t where);

/// In an altered run: the program sent itself a signal that it handles.
void give_altered_signal(Thread& thread, Context& context, Siginfo& siginfo);

/// The mask of a call that waits under a mask of its own (pselect6, ppoll, epoll_pwait), or nullptr.
const uint64_t* mask_during(const Call& call);
/// Signals given after the call are chosen under that mask; handlers come back to the former one.
void wait_under_mask(Thread& thread, uint64_t mask);

/// Ends the process by `number` at once.
[[noreturn]] void kill_by(int number);

/// Ends the process by `number` as the kernel's default action does, after logging it.
[[noreturn]] void die_by_signal(int number, bool in_own_code = false);

/// What each of the threads waits for in a deadlock; of very many, the first.
class WaitingThreads {
 public:
  void add(const format::WaitPart& part) {
    if (count_ < kMost) parts_[count_++] = part;
  }
  const format::WaitPart* parts() const { return parts_; }
  uint32_t bytes() const { return count_ * static_cast<uint32_t>(sizeof(format::WaitPart)); }

 private:
  static constexpr uint32_t kMost = 64;
  format::WaitPart parts_[kMost];
  uint32_t count_ = 0;
};

/// Ends the recorded process where all its threads wait for each other, one of them `thread`: by SIGABRT, though nobody
/// raised it.
[[noreturn]] void die_in_deadlock(const Thread& thread, const WaitingThreads& threads);

/// A signal from the launcher, which wants the program to end: does so, as by SIGALRM, in the program's own code and at
/// the end of calls, by the thread that holds the baton.
void end_from_outside(Thread& thread, Context& context);

/// Whether the program has handlers for signals that could come from outside or from timers.
bool handlers_are_set();

/// Replaying: ends when the log holds nothing more, or only that the program was killed in its own code. It might never
/// enter the runtime again.
void end_where_recording_ends();

/// What the kernel blocks for the thread while its code is recorded.
uint64_t kernel_mask(const Thread& thread);

/// Sets what the kernel restores when this entry is left.
void set_blocked(Thread& thread, Context& context, uint64_t mask);

}  // namespace culprit::loader
