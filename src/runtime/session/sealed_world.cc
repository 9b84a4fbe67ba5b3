// The world of an altered run. After an alteration a program may do what it never did before, so nothing it does may
// reach the outside: descriptors that could write, or whose reading would move a shared position, become private
// copies, and every system call is looked at first (syscall user dispatch; the agent's own calls pass).
//
// Kept: reading files and directories, memory, time, the process's own signals. Made private: files opened for writing
// become memory. Pretended: removing, renaming, making and changing files succeed and do nothing. Refused: processes,
// threads, sockets, and any call that is not listed.

#include <asm/unistd.h>

#include "runtime/session/agent.h"

namespace culprit::agent {
namespace {

constexpr long kEperm = -1, kEagain = -11, kEacces = -13, kEnotty = -25, kEnosys = -38, kEafnosupport = -97;
constexpr int kAtFdcwd = -100;
constexpr long kAccessMode = 3, kReadOnly = 0, kTruncate = 01000, kCreate = 0100, kExclusive = 0200,
               kCloexec = 02000000;
constexpr int kGetFd = 1, kGetFl = 3, kSeekCurrent = 1, kSeekSet = 0;
constexpr int kSigsys = 31;
constexpr uint64_t kSigsysBit = uint64_t{1} << (kSigsys - 1);

struct FileStatus {  // struct stat of x86-64
  uint64_t device, inode, links;
  uint32_t mode;
  uint32_t rest[29];
};
static_assert(sizeof(FileStatus) == 144);
constexpr long kListing = 0200000;  // O_DIRECTORY
constexpr uint32_t kTypeMask = 0170000, kRegular = 0100000, kDirectory = 0040000;

long open_memory() {
  return call(__NR_memfd_create, "private", 0);
}

/// A private copy of what `from` holds.
long copy_to_memory(int from) {
  const long memory = open_memory();
  if (memory < 0) return memory;
  static char buffer[1 << 16];
  uint64_t offset = 0;
  for (long got; (got = call(__NR_pread64, from, buffer, sizeof buffer, offset)) > 0; offset += got) {
    call(__NR_pwrite64, memory, buffer, got, offset);
  }
  return memory;
}

void write_number(char* to, int number) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number);
  while (count) *to++ = digits[--count];
  *to = 0;
}

/// Puts `replacement` in the place of `descriptor`, at the same position and with the same flags.
void replace(int descriptor, long replacement, bool keep_position) {
  if (replacement < 0) return;
  const long position = call(__NR_lseek, descriptor, 0, kSeekCurrent);
  const long flags = call(__NR_fcntl, descriptor, kGetFd, 0);
  if (keep_position && position > 0) call(__NR_lseek, replacement, position, kSeekSet);
  call(__NR_dup3, replacement, descriptor, flags > 0 ? kCloexec : 0);
  call(__NR_close, replacement);
}

void make_private(int descriptor) {
  FileStatus status{};
  if (call(__NR_fstat, descriptor, &status) < 0) return;
  const long flags = call(__NR_fcntl, descriptor, kGetFl, 0);
  const bool regular = (status.mode & kTypeMask) == kRegular;
  if ((flags & kAccessMode) != kReadOnly) {
    replace(descriptor, regular ? copy_to_memory(descriptor) : open_memory(), regular);
  } else if (regular || (status.mode & kTypeMask) == kDirectory) {
    char path[32] = "/proc/self/fd/";
    write_number(path + 14, descriptor);
    replace(descriptor, call(__NR_openat, kAtFdcwd, path, kReadOnly, 0), true);
  } else {
    replace(descriptor, call(__NR_openat, kAtFdcwd, "/dev/null", kReadOnly, 0), false);
  }
}

void make_descriptors_private(int standard_output, int standard_error) {
  call(__NR_dup3, standard_output, 1, 0);
  call(__NR_dup3, standard_error, 2, 0);
  const long listing = call(__NR_openat, kAtFdcwd, "/proc/self/fd", kListing, 0);
  // A run that shares descriptors with the spine must not go on.
  if (listing < 0) call(__NR_exit_group, 125);
  static char entries[1 << 14];
  int found[1024];
  int count = 0;
  for (long got; (got = call(__NR_getdents64, listing, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < got;) {
      const uint16_t length = *reinterpret_cast<uint16_t*>(entries + at + 16);
      const char* name = entries + at + 19;
      int number = 0;
      bool numeric = *name >= '0' && *name <= '9';
      for (; numeric && *name; ++name) number = number * 10 + (*name - '0');
      if (numeric && count < 1024) found[count++] = number;
      at += length;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (found[i] != 1 && found[i] != 2 && found[i] != listing) make_private(found[i]);
  }
  call(__NR_close, listing);
}

enum class Treatment : uint8_t {
  kRefused,
  kPassed,
  kPretended,
  kOpen,
  kProcess,
  kSocket,
  kSignal,
  kMask,
  kControl,
  kSleep
};

constexpr int kMostCalls = 512;
struct Treatments {
  Treatment of[kMostCalls] = {};
  constexpr Treatments() {
    constexpr int passed[] = {__NR_read,
                              __NR_write,
                              __NR_readv,
                              __NR_writev,
                              __NR_pread64,
                              __NR_pwrite64,
                              __NR_preadv,
                              __NR_pwritev,
                              __NR_close,
                              __NR_stat,
                              __NR_fstat,
                              __NR_lstat,
                              __NR_newfstatat,
                              __NR_statx,
                              __NR_access,
                              __NR_faccessat,
                              __NR_faccessat2,
                              __NR_lseek,
                              __NR_mmap,
                              __NR_munmap,
                              __NR_mprotect,
                              __NR_mremap,
                              __NR_brk,
                              __NR_madvise,
                              __NR_mincore,
                              __NR_sigaltstack,
                              __NR_rt_sigpending,
                              __NR_dup,
                              __NR_dup2,
                              __NR_dup3,
                              __NR_fcntl,
                              __NR_flock,
                              __NR_fsync,
                              __NR_fdatasync,
                              __NR_ftruncate,
                              __NR_fallocate,
                              __NR_fadvise64,
                              __NR_getcwd,
                              __NR_chdir,
                              __NR_fchdir,
                              __NR_getpid,
                              __NR_getppid,
                              __NR_gettid,
                              __NR_getuid,
                              __NR_geteuid,
                              __NR_getgid,
                              __NR_getegid,
                              __NR_getgroups,
                              __NR_getpgrp,
                              __NR_getpgid,
                              __NR_getsid,
                              __NR_getresuid,
                              __NR_getresgid,
                              __NR_uname,
                              __NR_sysinfo,
                              __NR_getrlimit,
                              __NR_prlimit64,
                              __NR_getrusage,
                              __NR_times,
                              __NR_time,
                              __NR_gettimeofday,
                              __NR_clock_gettime,
                              __NR_clock_getres,
                              __NR_poll,
                              __NR_ppoll,
                              __NR_select,
                              __NR_pselect6,
                              __NR_getdents,
                              __NR_getdents64,
                              __NR_readlink,
                              __NR_readlinkat,
                              __NR_futex,
                              __NR_sched_yield,
                              __NR_sched_getaffinity,
                              __NR_exit,
                              __NR_exit_group,
                              __NR_set_robust_list,
                              __NR_set_tid_address,
                              __NR_rseq,
                              __NR_arch_prctl,
                              __NR_umask,
                              __NR_pipe,
                              __NR_pipe2,
                              __NR_eventfd2,
                              __NR_epoll_create1,
                              __NR_epoll_ctl,
                              __NR_epoll_wait,
                              __NR_epoll_pwait,
                              __NR_getrandom,
                              __NR_memfd_create,
                              __NR_statfs,
                              __NR_fstatfs,
                              __NR_getxattr,
                              __NR_lgetxattr,
                              __NR_fgetxattr,
                              __NR_alarm,
                              __NR_setitimer,
                              __NR_getitimer,
                              __NR_getcpu,
                              __NR_getpriority,
                              __NR_copy_file_range,
                              __NR_sendfile,
                              __NR_timerfd_create,
                              __NR_timerfd_settime,
                              __NR_inotify_init1,
                              __NR_membarrier,
                              __NR_restart_syscall};
    constexpr int pretended[] = {
        __NR_unlink,    __NR_unlinkat,  __NR_rename,      __NR_renameat,  __NR_renameat2, __NR_mkdir,
        __NR_mkdirat,   __NR_rmdir,     __NR_link,        __NR_linkat,    __NR_symlink,   __NR_symlinkat,
        __NR_mknod,     __NR_mknodat,   __NR_chmod,       __NR_fchmod,    __NR_fchmodat,  __NR_chown,
        __NR_fchown,    __NR_lchown,    __NR_fchownat,    __NR_truncate,  __NR_utime,     __NR_utimes,
        __NR_utimensat, __NR_futimesat, __NR_setxattr,    __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr,
        __NR_sync,      __NR_syncfs,    __NR_setpriority, __NR_msync,     __NR_setsid,    __NR_setpgid};
    constexpr int processes[] = {__NR_fork, __NR_vfork, __NR_clone, __NR_clone3};
    constexpr int sockets[] = {__NR_socket, __NR_socketpair};
    constexpr int signals[] = {__NR_kill, __NR_tkill, __NR_tgkill};
    constexpr int sleeps[] = {__NR_nanosleep, __NR_clock_nanosleep, __NR_pause};
    for (int number : passed) of[number] = Treatment::kPassed;
    for (int number : pretended) of[number] = Treatment::kPretended;
    for (int number : processes) of[number] = Treatment::kProcess;
    for (int number : sockets) of[number] = Treatment::kSocket;
    for (int number : signals) of[number] = Treatment::kSignal;
    for (int number : sleeps) of[number] = Treatment::kSleep;
    of[__NR_open] = of[__NR_openat] = of[__NR_creat] = Treatment::kOpen;
    of[__NR_rt_sigprocmask] = of[__NR_rt_sigaction] = Treatment::kMask;
    of[__NR_ioctl] = Treatment::kControl;
  }
};
constexpr Treatments kTreatments;

/// open, openat and creat: reading as it is, writing into memory.
long open_sealed(long number, const long (&a)[6]) {
  const int folder = number == __NR_openat ? static_cast<int>(a[0]) : kAtFdcwd;
  const auto* path = reinterpret_cast<const char*>(number == __NR_openat ? a[1] : a[0]);
  const long flags = number == __NR_openat ? a[2] : number == __NR_open ? a[1] : (1 | kCreate | kTruncate);
  if ((flags & kAccessMode) == kReadOnly && !(flags & kCreate)) return call(__NR_openat, folder, path, flags, 0);
  const long existing = call(__NR_openat, folder, path, kReadOnly | kCloexec, 0);
  if (existing >= 0 && (flags & kCreate) && (flags & kExclusive)) {
    call(__NR_close, existing);
    return -17;  // EEXIST
  }
  if (existing < 0 && !(flags & kCreate)) return existing;
  const long memory =
      existing >= 0 && !(flags & kTruncate) ? copy_to_memory(static_cast<int>(existing)) : open_memory();
  if (existing >= 0) call(__NR_close, existing);
  if (memory >= 0 && (flags & kCloexec)) call(__NR_fcntl, memory, 2 /*F_SETFD*/, 1);
  return memory;
}

long treat(long number, const long (&a)[6]) {
  const Treatment treatment = number >= 0 && number < kMostCalls ? kTreatments.of[number] : Treatment::kRefused;
  switch (treatment) {
    case Treatment::kPassed:
      return culprit_agent_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    case Treatment::kPretended:
    case Treatment::kSleep:
      return 0;
    case Treatment::kOpen:
      return open_sealed(number, a);
    case Treatment::kProcess:
      return kEagain;
    case Treatment::kSocket:
      return kEafnosupport;
    case Treatment::kSignal: {
      const long self = call(__NR_getpid);
      return a[0] == self || (number == __NR_tkill && a[0] == call(__NR_gettid))
                 ? culprit_agent_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5])
                 : kEperm;
    }
    case Treatment::kMask: {
      if (number == __NR_rt_sigaction && (a[0] == kSigsys || a[0] == format::kInterruptSignal)) return 0;
      if (number == __NR_rt_sigaction || a[1] == 0) {
        return culprit_agent_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
      }
      const uint64_t mask = *reinterpret_cast<const uint64_t*>(a[1]) & ~kSigsysBit;
      return call(number, a[0], &mask, a[2], a[3]);
    }
    case Treatment::kControl: {
      constexpr long kHarmless[] = {
          0x5401 /*TCGETS*/, 0x5413 /*TIOCGWINSZ*/, 0x541b /*FIONREAD*/, 0x5450, 0x5451, 0x5421};
      for (const long request : kHarmless) {
        if (a[1] == request) return call(__NR_ioctl, a[0], a[1], a[2]);
      }
      return kEnotty;
    }
    case Treatment::kRefused:
      return number == __NR_execve || number == __NR_execveat ? kEacces : kEnosys;
  }
  return kEnosys;
}

void on_system_call(int, SignalInformation*, void* context) {
  auto* registers = reinterpret_cast<int64_t*>(static_cast<char*>(context) + 40);  // uc_mcontext.gregs
  enum { kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15, kRdi, kRsi, kRbp, kRbx, kRdx, kRax, kRcx, kRsp };
  const long number = registers[kRax];
  // The program's own handler returns: its kernel frame lies where its stack pointer points.
  if (number == __NR_rt_sigreturn) culprit_agent_return_from(reinterpret_cast<void*>(registers[kRsp]));
  const long arguments[6] = {registers[kRdi], registers[kRsi], registers[kRdx],
                             registers[kR10], registers[kR8],  registers[kR9]};
  watch_output(static_cast<uint64_t>(number), reinterpret_cast<const uint64_t*>(arguments));
  registers[kRax] = treat(number, arguments);
}

}  // namespace

/// The size of the process's data, in bytes (RLIMIT_DATA counts it so); 0: unknown.
static uint64_t data_bytes() {
  constexpr int kDataField = 5;
  constexpr uint64_t kPageBytes = 4096;
  char text[128];
  const long statm = call(__NR_openat, kAtFdcwd, "/proc/self/statm", kReadOnly | kCloexec, 0);
  if (statm < 0) return 0;
  const long bytes = call(__NR_read, statm, text, sizeof text);
  call(__NR_close, statm);
  uint64_t pages = 0;
  int field = 0;
  for (long i = 0; i < bytes && field <= kDataField; ++i) {
    if (text[i] == ' ') {
      ++field;
    } else if (field == kDataField) {
      pages = pages * 10 + static_cast<uint64_t>(text[i] - '0');
    }
  }
  return pages * kPageBytes;
}

/// A run that no branch ends is ended by the clock; its memory is bounded.
static void limit_resources() {
  const uint64_t most = data_bytes() + control->memory_more;
  const uint64_t seconds[2] = {control->cpu_seconds, control->cpu_seconds + 1}, bytes[2] = {most, most},
                 none[2] = {0, 0};
  call(__NR_prlimit64, 0, 0 /*CPU*/, seconds, nullptr);
  call(__NR_prlimit64, 0, 2 /*DATA*/, bytes, nullptr);
  call(__NR_prlimit64, 0, 4 /*CORE*/, none, nullptr);
}

void seal_world(int standard_output, int standard_error) {
  if (on_replay()) {
    call(__NR_dup3, standard_output, 1, 0);
    call(__NR_dup3, standard_error, 2, 0);
    limit_resources();
    return loader.begin_altered();
  }
  make_descriptors_private(standard_output, standard_error);
  set_handler(kSigsys, on_system_call, 0x40000000 /*SA_NODEFER*/);
  const uint64_t unblocked = kSigsysBit;
  call(__NR_rt_sigprocmask, 1 /*UNBLOCK*/, &unblocked, nullptr, sizeof unblocked);
  limit_resources();
  constexpr int kSetDispatch = 59, kOn = 1;
  const long armed = call(__NR_prctl, kSetDispatch, kOn, culprit_agent_syscalls_begin,
                          culprit_agent_syscalls_end - culprit_agent_syscalls_begin, nullptr);
  // An altered run that is not cut off from the outside must not go on.
  if (armed < 0) call(__NR_exit_group, 125);
}

}  // namespace culprit::agent
