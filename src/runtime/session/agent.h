// The session agent: what answers a controlling `culprit` from inside the program. Freestanding: no library calls, its
// system calls only through `call`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/agent_link.h"
#include "format/runtime_abi.h"
#include "format/session_abi.h"

extern "C" {
long culprit_agent_syscall(long number, long a, long b, long c, long d, long e, long f);
void culprit_agent_return();
[[noreturn]] void culprit_agent_return_from(void* frame);
extern const char culprit_agent_syscalls_begin[];
extern const char culprit_agent_syscalls_end[];
extern __thread culprit::format::ThreadState culprit_thread __attribute__((tls_model("initial-exec")));
}

namespace culprit::agent {

/// Of a session on a replay; its calls are null elsewhere.
extern format::AgentLink loader;

inline bool on_replay() {
  return loader.system_call != nullptr;
}

template <typename T>
long word(T value) {
  if constexpr (__is_same(T, decltype(nullptr))) {
    return 0;
  } else if constexpr (__is_pointer(T)) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}

/// A system call; errors are negative error numbers.
template <typename... Arguments>
long call(long number, Arguments... arguments) {
  const long words[6 + 1] = {word(arguments)..., 0};
  if (on_replay()) return loader.system_call(static_cast<uint64_t>(number), reinterpret_cast<const uint64_t*>(words));
  return culprit_agent_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/// Null in a program that runs without a session.
extern format::SessionControl* control;

/// The signals that end a program by default and tell of a fault; 0-terminated.
extern const int kFaultSignals[];

struct SignalInformation {
  int32_t number;
  int32_t error;
  int32_t code;
  int32_t padding;
  union {
    uint64_t address;  // faults
    struct {
      uint64_t call_address;
      int32_t call_number;
    } dispatch;  // SIGSYS
  };
};

using SignalHandler = void (*)(int, SignalInformation*, void*);
void set_handler(int signal, SignalHandler handler, uint64_t flags);
void set_default(int signal);

/// What the program wants to happen at `signal`; null handler: the default.
struct ProgramAction {
  void* handler;
  uint64_t flags;
  uint64_t mask;
  bool handed_over;  ///< the kernel has it
};
/// The program's own actions for fault signals are kept here, not in the kernel, so that the agent sees faults first.
/// Null for other signals, and for one that came and was handed over: its handler may set another.
ProgramAction* program_action(int signal);

/// In the unaltered run: tells the controlling side that `control->stop` is valid and waits until it lets go.
void stop_for_inspection();

/// Looks at a system call of the sealed or replayed run before it is made.
void watch_output(uint64_t number, const uint64_t* arguments);

/// Fills `stop` for the calling thread.
void describe_stop(format::StopRecord& stop, format::StopReason reason);

/// Of the spine: the experiment that begins next; null when there are none left.
format::ExperimentRecord* next_experiment();
/// Begins the experiments at a branch instance, and leaves out those whose statement did not come before it. True in a
/// new process that is to go on with the branch switched: `way` is then where it goes.
bool begin_branch_experiments(uint64_t instance, uint32_t& way);
/// Begins those of a statement at its execution after `passes` others. True in a new process that is to alter it.
bool begin_statement_experiments(uint64_t passes);
/// Leaves out the next experiment.
void leave_out_experiment();
/// Waits for all altered runs.
void finish_experiments();
/// Non-null in an altered run: where its end is to be told.
format::ExperimentRecord* current_experiment();

/// Cuts this process off from everything outside. Natively descriptors are replaced by private copies and system calls
/// filtered; on a replay the loader answers them (runtime/loader/altered_world.h).
void seal_world(int standard_output, int standard_error);

}  // namespace culprit::agent
