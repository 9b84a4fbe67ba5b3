// How the session agent inside a program (session_abi.h) and the runtime's loader find each other when the session is a
// replay: the agent calls the loader directly, so that its system calls are no events and need no trap, and the loader
// tells the agent what it would otherwise learn by signal handlers of its own.
#pragma once

#include <cstdint>

#include "format/alteration.h"

namespace culprit::format {

/// A fault or a signal that is about to be acted upon.
struct AgentFault {
  int32_t signal;
  int32_t code;          ///< si_code
  uint64_t address;      ///< si_addr
  uint64_t instruction;  ///< program counter; 0: unknown
  uint64_t stack;        ///< stack pointer
};

struct AgentLink {
  // The agent's, called with the loader's stack and the program's thread. They leave the floating point state alone.
  void (*on_fault)(const AgentFault&);
  void (*on_call)(uint64_t number, const uint64_t* arguments);  ///< before each system call of the program
  StatementAction (*on_statement)(bool alterable);              ///< the watched statement begins in the calling thread

  // The loader's.
  int32_t descriptor;                                               ///< of the session control block
  long (*system_call)(uint64_t number, const uint64_t* arguments);  ///< six arguments; made for real
  /// From now on this process, which may be a fork, is an altered run: it leaves the log and ends as the program ends,
  /// by its status or signal. What it shows goes to its descriptors 1 and 2.
  void (*begin_altered)();
  bool (*thread_lives)(const void* state);  ///< whether a ThreadState is a thread's that has not ended
};

/// A system call that no kernel has. Argument: an AgentLink, of which the loader fills in its part; it must stay where
/// it is. An error natively, while recording, and in replays that have no agent's descriptor.
inline constexpr long kAgentCall = 0x43554c53;

}  // namespace culprit::format
