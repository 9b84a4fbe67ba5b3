// Stack overflows told from other faults, and reported.
#pragma once

namespace culprit::runtime {

/// Catches SIGSEGV if the program has no handler for it. An overflow of a user or private stack is reported on standard
/// error with the function that ran into it; then, as for any other fault, the process dies by the signal as it would
/// natively. A handler that the program installs later replaces this one.
void watch_for_overflows();

}  // namespace culprit::runtime
