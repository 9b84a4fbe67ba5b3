#include "runtime/loader/intercept.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "runtime/loader/runtime.h"

extern "C" const char __executable_start[], etext[];

namespace culprit::loader {
namespace {

constexpr int kSetDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH

long set_dispatch() {
  // The kernel compares the address after `syscall`; the range holds all of the image's text.
  return raw(__NR_prctl, kSetDispatch, 1, word(__executable_start), word(etext) + 16 - word(__executable_start), 0);
}

long set_filter() {
  static_assert(kRuntimeLow >> 32 == 0x6000);
  constexpr uint32_t kHigh = kRuntimeLow >> 32;
  const auto end = static_cast<uint32_t>(word(etext) + 16);
  static sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, instruction_pointer) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kHigh, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, instruction_pointer)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 0 /* end, below */, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  code[3].k = end;
  static const sock_fprog program = {sizeof code / sizeof code[0], code};
  raw(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return raw(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, word(&program));
}

}  // namespace

Interception intercept_calls(Interception wanted) {
  if (wanted == Interception::kDispatch) {
    const long result = set_dispatch();
    if (result == 0) return Interception::kDispatch;
  }
  const long result = set_filter();
  if (result != 0) fail("this kernel offers neither syscall user dispatch nor seccomp traps", result);
  return Interception::kTrap;
}

void intercept_calls_again(Interception in_force) {
  if (in_force == Interception::kTrap) return;  // filters are inherited
  const long result = set_dispatch();
  if (result != 0) fail("cannot intercept system calls in a new thread", result);
}

}  // namespace culprit::loader
