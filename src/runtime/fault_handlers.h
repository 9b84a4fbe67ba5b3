// The program's own handlers of segmentation faults.
//
// What a program takes for its stack, because its variables lie there, is the user stack. The runtime enters the
// program's handler of SIGSEGV, so that an overflow of any of the thread's stacks reaches it as it does natively: as a
// fault beneath the program's stack, with room left for the handler's variables, and on an alternate signal stack only.
#pragma once

#include <stdint.h>

namespace culprit::runtime {

struct LibraryAction {  // struct sigaction of glibc
  void* handler;
  uint64_t mask[16];
  int flags;
  void (*restorer)();
};

}  // namespace culprit::runtime

extern "C" {

/// What captured code calls for sigaction.
int culprit_sigaction(int signal, const culprit::runtime::LibraryAction* action, culprit::runtime::LibraryAction* old);

/// What captured code calls for signal.
void* culprit_signal(int signal, void* handler);
}
