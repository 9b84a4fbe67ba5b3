// System calls without a kernel trap: after its first trap, a `syscall` instruction and what follows it are replaced by
// a jump to a trampoline, which enters the runtime directly (rewritten_entry.S).
//
//   site:  syscall                      jmp trampoline
//          cmp $-4096, %rax             …                     never executed
//   trampoline:  lea site+2(%rip), %rcx     as the kernel leaves rcx
//                lea rest(%rip), %r11       r11 is the kernel's to destroy, too
//                jmp *entry
//   rest:        cmp $-4096, %rax
//                jmp back behind the replaced instructions
//
// Sites are rewritten only under the baton: no other thread is in the program's own code then. A thread whose next
// address is behind a replaced `syscall` (it waited in the kernel, or a handler's frame says so) goes on at `rest`
// instead; everything else in the runtime, and the frames that the program's handlers see, know only the address behind
// the `syscall`. So signals, restarts and unwinding are as with a trap. Record and replay rewrite at the same events.
#pragma once

#include "runtime/loader/kernel.h"

namespace culprit::loader {

/// Rewrites the call site whose `syscall` ends at `after_call`, if that can be done. `context` is the kernel's frame of
/// a trap, whose constant parts complete_context needs.
void rewrite_call_site(uint64_t after_call, const Context& context);

/// Where to go on for a context whose next instruction is at `address`.
uint64_t place_to_go_on(uint64_t address);

/// What was rewritten in [low, high) is no longer there.
void forget_call_sites(uint64_t low, uint64_t high);
/// Nothing of the program is there any more.
void forget_all_call_sites();

/// Whether there may be contexts without floating point state.
bool calls_are_rewritten();

/// Whether trampolines lie, or may come to lie, in [low, high): nothing of the program must be put there.
bool is_for_trampolines(uint64_t low, uint64_t high);

/// Makes the context of a rewritten call one that rt_sigreturn accepts and that has the floating point state, which no
/// code of the runtime changes. Contexts of traps are complete already.
void complete_context(Context& context);

}  // namespace culprit::loader
