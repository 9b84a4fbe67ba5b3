// The kernel as the runtime sees it: system calls without libc and the structures of signal frames.
#pragma once

#include <asm/errno.h>
#include <asm/prctl.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/time_types.h>
#include <stddef.h>
#include <stdint.h>

// <asm/signal.h> lacks what handlers get; the layouts below are the kernel's (arch/x86/include/uapi/asm/sigcontext.h).
namespace culprit::loader {

inline long raw(long number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0, uint64_t e = 0,
                uint64_t f = 0) {
  long result;
  register uint64_t r10 asm("r10") = d;
  register uint64_t r8 asm("r8") = e;
  register uint64_t r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline uint64_t word(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}
inline bool failed(long result) {
  return result < 0 && result >= -4095;
}

inline constexpr uint64_t kPage = 4096;
constexpr uint64_t page_down(uint64_t address) {
  return address & ~(kPage - 1);
}
constexpr uint64_t page_up(uint64_t address) {
  return page_down(address + kPage - 1);
}

inline constexpr int kSignals = 64;
enum SignalNumber : int {
  kSighup = 1,
  kSigint,
  kSigquit,
  kSigill,
  kSigtrap,
  kSigabrt,
  kSigbus,
  kSigfpe,
  kSigkill,
  kSigusr1,
  kSigsegv,
  kSigusr2,
  kSigpipe,
  kSigalrm,
  kSigterm,
  kSigstkflt,
  kSigchld,
  kSigcont,
  kSigstop,
  kSigtstp,
  kSigttin,
  kSigttou,
  kSigurg,
  kSigxcpu,
  kSigxfsz,
  kSigvtalrm,
  kSigprof,
  kSigwinch,
  kSigio,
  kSigpwr,
  kSigsys,
};
constexpr uint64_t signal_bit(int number) {
  return uint64_t{1} << (number - 1);
}

inline constexpr uint64_t kSaNoCldStop = 1, kSaNoCldWait = 2, kSaSiginfo = 4, kSaOnStack = 0x08000000,
                          kSaRestart = 0x10000000, kSaNoDefer = 0x40000000, kSaResetHand = 0x80000000,
                          kSaRestorer = 0x04000000;

/// struct sigaction of the system call.
struct KernelSigaction {
  uint64_t handler;  ///< 0 default, 1 ignore
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

struct Siginfo {
  int32_t number;
  int32_t error;
  int32_t code;
  int32_t pad;
  uint64_t fields[14];  ///< [0] is the fault's address, or process and user
};
static_assert(sizeof(Siginfo) == 128);

struct AlternateStack {
  uint64_t base;
  int32_t flags;
  int32_t pad;
  uint64_t bytes;
};

/// struct ucontext with its struct sigcontext: the registers at the interruption, restored by rt_sigreturn.
struct Context {
  uint64_t flags;
  uint64_t link;
  AlternateStack stack;
  uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
  uint16_t cs, gs, fs, ss;
  uint64_t err, trapno, oldmask, cr2;
  uint64_t fpstate;
  uint64_t reserved[8];
  uint64_t mask;
};
static_assert(offsetof(Context, rip) == 40 + 16 * 8 && offsetof(Context, mask) == 296);

}  // namespace culprit::loader
