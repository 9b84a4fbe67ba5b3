// Making the kernel hand the program's system calls and time stamp reads to this runtime.
#pragma once

namespace culprit::loader {

/// How system calls are intercepted in this process.
enum class Interception {
  kDispatch,  ///< syscall user dispatch
  kTrap,      ///< seccomp RET_TRAP, where dispatch is missing; stays in force across exec
};

/// Arms the calling thread; with kDispatch falls back on kTrap when the kernel lacks it (ENOSYS, EINVAL).
/// Returns what is in force; fails loudly when neither works.
Interception intercept_calls(Interception wanted);

/// Again in a new thread or child of an armed process.
void intercept_calls_again(Interception in_force);

}  // namespace culprit::loader
