// The agreement between the instrumentation passes and the runtime linked into the program: names, thread state, hooks.
// Plain C++ without library headers, because the runtime includes it. Any change of a layout bumps kRuntimeAbiVersion.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

inline constexpr uint32_t kRuntimeAbiVersion = 5;

/// Which bodies run in a thread (ThreadState::observe).
inline constexpr uint8_t kFastBodies = 0;
inline constexpr uint8_t kObservedBodies = 1;

/// What the counting hooks of observed bodies count (indices into ThreadState::counts).
enum CountKind : uint32_t { kCountBlocks, kCountLoads, kCountStores, kCountCalls, kCountKinds };

/// Per thread, in initial-exec thread-local storage as the symbol `culprit_thread`; all zero in a new thread.
/// A tick counts `budget` down; when it gets negative the slow path runs, which also sets up a new thread: its first
/// entry from outside finds budget 0. Instrumented code reads and writes the first five members by offset.
struct ThreadState {
  int64_t budget;   ///< ticks left until the slow path is taken
  uint8_t observe;  ///< kFastBodies or kObservedBodies; read by thunks
  uint8_t reserved[7];
  char* user_sp;     ///< user stack pointer: variables whose address escapes; grows down, 16-byte aligned
  char* private_sp;  ///< private stack pointer: homes of all other variables, in observed bodies with homes only
  void* resume;      ///< where the tick's slow path continues
  uint64_t granted;  ///< ticks granted so far; ticks passed = granted - budget
  uint64_t counts[kCountKinds];
  uint32_t stack_slot;         ///< index of this thread's pair of stacks, plus 1; 0 before set-up
  uint32_t number;             ///< of this thread, from 0 in the order of set-up
  struct FrameRecord* frames;  ///< innermost activation (session_abi.h); bodies with session hooks only
  int64_t branches_left;       ///< branch instances until the agent is asked; bodies with session hooks only
  uint32_t watched;            ///< the statement to stop at (replay_control.h); bodies with session hooks only
  uint32_t reserved3;
  // Bodies with trace hooks only (trace_format.h):
  char* trace_position;        ///< where the next event goes
  char* trace_limit;           ///< from here on the buffer has to be emptied
  uint64_t* trace_previous;    ///< per site the last address recorded
  const void* trace_target;    ///< what the pending indirect call calls
  uint32_t trace_activations;  ///< activations so far of functions that control can come back into
  uint32_t reserved4;
  const struct TraceFrame* trace_frames;  ///< of the latest call out of a body that tells of itself
  // Bodies with session hooks only (alteration.h):
  uint64_t altered_value;    ///< of the statement that is being altered
  uint64_t altered_address;  ///< what it reads there is `altered_value`
};
static_assert(offsetof(ThreadState, budget) == 0);
static_assert(offsetof(ThreadState, observe) == 8);
static_assert(offsetof(ThreadState, user_sp) == 16);
static_assert(offsetof(ThreadState, private_sp) == 24);
static_assert(offsetof(ThreadState, resume) == 32);
static_assert(offsetof(ThreadState, frames) == 88);
static_assert(offsetof(ThreadState, branches_left) == 96);
static_assert(offsetof(ThreadState, trace_position) == 112);

inline constexpr const char* kThreadStateSymbol = "culprit_thread";
/// Entered by `jmp` with ThreadState::resume set and nothing pushed; preserves every register but r11 and the flags.
inline constexpr const char* kTickSlowSymbol = "culprit_tick_slow";
/// uint8_t: the value of ThreadState::observe that threads start with. The runtime has a weak one for plans without
/// observed bodies.
inline constexpr const char* kInitialObserveSymbol = "culprit_initial_observe";

/// Called with its ucontext_t after each makecontext: gives the context stacks of its own.
inline constexpr const char* kContextMadeSymbol = "culprit_context_made";
/// What captured code calls for sigaction and signal (runtime/fault_handlers.h).
inline constexpr const char* kSetActionSymbol = "culprit_sigaction";
inline constexpr const char* kSetHandlerSymbol = "culprit_signal";

/// Suffixes of a function's bodies; the function's own symbol is its thunk.
inline constexpr const char* kFastSuffix = ".fast";
inline constexpr const char* kObservedSuffix = ".observed";

/// All mutable globals live in this one structure (DESIGN §2), thread-local ones in the second.
inline constexpr const char* kGlobalsSymbol = "culprit_globals";
inline constexpr const char* kThreadGlobalsSymbol = "culprit_thread_globals";
/// The members of both that start as zero, apart so that they take no space in the file.
inline constexpr const char* kZeroGlobalsSymbol = "culprit_zero_globals";
inline constexpr const char* kZeroThreadGlobalsSymbol = "culprit_zero_thread_globals";

}  // namespace culprit::format
