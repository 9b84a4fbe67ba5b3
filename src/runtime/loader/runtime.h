// The state of the runtime and of the program's threads. One instance, in the image's own memory.
#pragma once

#include "format/recording_format.h"
#include "format/system_calls.h"
#include "runtime/loader/address_space.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/kernel.h"
#include "runtime/loader/layout.h"

namespace culprit::loader {

enum class Mode {
  kRecord,  ///< calls run and are logged
  kReplay,  ///< calls are answered from the log
  kPass,    ///< a child of a recorded program that has no recording of its own: calls run, nothing is logged
};

/// Thread::call_number when no call is being answered.
inline constexpr uint64_t kNoCall = ~uint64_t{0};

/// A signal that arrived and waits to be given to the program.
struct PendingSignal {
  Siginfo siginfo;
};

/// One of the program's threads. Lies at the end of its region; its runtime stack ends below it. GS points at it.
struct Thread {
  Thread* self;
  // Known to rewritten_entry.S by their offsets.
  uint64_t entry_context;  ///< where a rewritten call puts its Context; kStateRoom above it is free
  uint64_t program_stack;
  uint64_t go_on;  ///< where the program goes on
  uint32_t index;
  int32_t id;                ///< thread id as the program sees it
  uint64_t blocked;          ///< the program's signal mask
  uint64_t mask_after_wait;  ///< mask to come back to after a wait under another one, when `waited_under_mask`
  bool waited_under_mask;
  AlternateStack alternate_stack;  ///< the program's
  uint64_t call_number;            ///< of the call being answered
  uint32_t slot;                   ///< of its region; used again after its end
  uint64_t scratch;                ///< for data of calls that wait without the baton; kept by the slot
  uint32_t in_kernel;              ///< cleared by the kernel when the thread is gone
  uint64_t tick_state;             ///< its format::ThreadState; 0 until its first slow tick
  bool ticked;                     ///< the next call is the one that ends a tick's slow path
  bool in_tick;                    ///< this call is that
  uint64_t frame_in_tick;          ///< of the handler that was entered there
  uint64_t failure_handler;        ///< frame of an entered handler of a fault or abort; 0: none
  long granted_later;              ///< replaying: ticks of the log's quantum that come after a point
  uint64_t stack_end;              ///< of its machine stack
  uint64_t clear_at_end;           ///< the word that a joiner waits for
  uint64_t robust_list;
  // Recording: scheduling (baton.h, futex.h).
  uint32_t go;             ///< futex word: 1 when the baton was handed to it
  uint64_t entries;        ///< into the runtime, by calls and ticks
  long quantum;            ///< ticks granted at a time; 0: none yet
  uint64_t quantum_began;  ///< its processor time then, in nanoseconds
  bool steps;              ///< single instructions (spin.h), replaying too
  bool woken, gave_up;
  bool waits;              ///< in an altered run: goes on when `woken`
  uint32_t priority;       ///< under chaos; the highest goes first
  uint64_t ticks_counted;  ///< of its ticks, those that chaos knows of
  Thread* next_ready;
  Thread* next_waiter;
  uint64_t waits_at;  ///< futex address
  uint32_t wait_bits;
  bool waits_for_ever;  ///< without a timeout
  Context* frame;       ///< a new thread's first context
  // Replaying: the context while another thread runs.
  uint64_t saved_stack;
  uint64_t saved_fs;
  bool alive;
  volatile uint32_t arrived;  ///< set when a signal is queued; ends an interruptible call
  volatile uint32_t pending_count;
  PendingSignal pending[64];
};

static_assert(offsetof(Thread, entry_context) == 8 && offsetof(Thread, go_on) == 24);

/// Room for the floating point state at the top of each runtime stack.
inline constexpr uint64_t kStateRoom = 16384;

/// How the runtime finds its thread.
inline Thread& current_thread() {
  Thread* thread;
  asm volatile("movq %%gs:0, %0" : "=r"(thread));
  return *thread;
}

inline constexpr uint32_t kMostDescriptors = 4096;

/// In Runtime::shows.
inline constexpr uint8_t kOnlyHere = 0x40;

struct Runtime {
  Mode mode;
  int32_t process;      ///< real process id
  int directory;        ///< descriptor of the recording's directory; -1: none
  int outer_directory;  ///< in a child that has a recording of its own: that of the launcher's; -1: none
  bool watched;         ///< in a child: what it writes to the program's output is logged in the launcher's recording
  AddressSpace space;
  AddressSpace shared;    ///< the parts of it that other processes may see
  uint32_t threads_made;  ///< the next thread's index
  uint32_t threads_alive;
  uint64_t break_start, break_now;
  uint64_t variables_low, variables_high;  ///< the highest writable segment of the executable
  bool altered;                            ///< a session has altered the replayed run: it may leave the log
  bool other_plan;                         ///< replaying with another executable than the recorded one
  KernelSigaction actions[kSignals + 1];
  Interception interception;
  struct Output {
    uint64_t device, inode;
    bool known;  ///< and not /dev/null
  };
  Output outputs[2];
  /// kShowOnOutput or kShowOnError: the descriptor is the program's first output; with kOnlyHere, of a child that has
  /// executed this program with another output than the launcher's.
  uint8_t shows[kMostDescriptors];
  char program[4096];  ///< absolute path of the executable, for /proc/self/exe
};

extern Runtime runtime;

/// Ends the process with a message: something that cannot go on.
[[noreturn]] void fail(const char* what, long result = 0);

/// A system call as the program made it.
struct Call {
  uint64_t number;
  uint64_t arguments[6];
  const format::SystemCall* description;
  Context* context;
  bool context_replaced;  ///< the call has set all registers, so that its result is not stored
};

}  // namespace culprit::loader

extern "C" {
[[noreturn]] void enter_program(uint64_t entry, uint64_t stack);
void signal_return();
long interruptible(long number, const uint64_t* arguments, const volatile uint32_t* pending);
extern const char rewritten_leave[], rewritten_end[];
extern const char interruptible_check[], interruptible_gate[], interruptible_refused[];
}
