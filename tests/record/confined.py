#!/usr/bin/env python3
"""Runs a command with fewer rights: confined.py docker|user|namespace|untrapped -- COMMAND…

docker: under a seccomp filter equal to Docker's default profile for a container without added capabilities.
user: as the user `nobody` (needs root; otherwise as whoever calls). namespace: in a user namespace of its own.
untrapped: as on a machine that traps neither cpuid nor, though it says so, rdtsc.
Exit status 77 where that cannot be had.
"""
import ctypes
import os
import re
import struct
import sys

# What Docker's default profile allows a container without added capabilities, by name; names that x86-64 does not have
# are left out. All else gives EPERM, but for the rules below. Source: profiles/seccomp/default.json of moby.
ALLOWED = """
accept accept4 access adjtimex alarm arch_prctl bind brk capget capset chdir chmod chown clock_adjtime clock_getres
clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1
epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit
exit_group faccessat faccessat2 fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat fchown fchownat fcntl
fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_waitv
futimesat get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer
getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1
inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill
landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr
llistxattr lremovexattr lseek lsetxattr lstat madvise membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod
mknodat mlock mlock2 mlockall mmap modify_ldt mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend
mq_unlink mremap msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstatat
open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
pread64 preadv preadv2 prlimit64 process_mrelease process_vm_readv process_vm_writev pselect6 ptrace pwrite64 pwritev
pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr rename
renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity
sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto
set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority
setregid setresgid setresuid setreuid setrlimit setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown
sigaltstack signalfd signalfd4 socketpair splice stat statfs statx symlink symlinkat sync sync_file_range syncfs
sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice
wait4 waitid write writev
"""
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xffffffff)
NAMESPACES = 0x7e020000  # CLONE_NEW*
VSOCK = 40
X86_64 = 0xc000003e
EPERM, ENODEV, ENOSYS = 1, 19, 38
ARCH_SET_CPUID, PR_SET_TSC = 0x1012, 26
LOAD, JUMP_EQUAL, JUMP_SET, GIVE = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7fff0000, 0x00050000
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets of what a filter sees


def numbers():
    """Of x86-64's system calls, by name."""
    for place in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"):
        if os.path.exists(place):
            with open(place) as header:
                return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", header.read())}
    sys.exit(77)


def docker_filter():
    """BPF instructions (code, jump if true, jump if false, value)."""
    calls = numbers()
    code = [(LOAD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, X86_64), (GIVE, 0, 0, ERROR | EPERM), (LOAD, 0, 0, NUMBER)]
    for name in ALLOWED.split():
        if name in calls:
            code += [(JUMP_EQUAL, 0, 1, calls[name]), (GIVE, 0, 0, ALLOW)]
    code += [(JUMP_EQUAL, 0, 1, calls["clone3"]), (GIVE, 0, 0, ERROR | ENOSYS)]
    code += [(JUMP_EQUAL, 0, 4, calls["clone"]), (LOAD, 0, 0, FIRST_ARGUMENT), (JUMP_SET, 0, 1, NAMESPACES),
             (GIVE, 0, 0, ERROR | EPERM), (GIVE, 0, 0, ALLOW)]
    code += [(JUMP_EQUAL, 0, 4, calls["socket"]), (LOAD, 0, 0, FIRST_ARGUMENT), (JUMP_EQUAL, 0, 1, VSOCK),
             (GIVE, 0, 0, ERROR | EPERM), (GIVE, 0, 0, ALLOW)]
    code += [(JUMP_EQUAL, 0, len(PERSONALITIES) * 2 + 1, calls["personality"]), (LOAD, 0, 0, FIRST_ARGUMENT)]
    for value in PERSONALITIES:
        code += [(JUMP_EQUAL, 0, 1, value), (GIVE, 0, 0, ALLOW)]
    return code + [(GIVE, 0, 0, ERROR | EPERM)]


def untrapped_filter():
    calls = numbers()
    return [(LOAD, 0, 0, NUMBER), (JUMP_EQUAL, 0, 3, calls["arch_prctl"]), (LOAD, 0, 0, FIRST_ARGUMENT),
            (JUMP_EQUAL, 0, 4, ARCH_SET_CPUID), (GIVE, 0, 0, ERROR | ENODEV), (JUMP_EQUAL, 0, 2, calls["prctl"]),
            (LOAD, 0, 0, FIRST_ARGUMENT), (JUMP_EQUAL, 1, 0, PR_SET_TSC), (GIVE, 0, 0, ALLOW), (GIVE, 0, 0, ERROR)]


def enter(code):
    libc = ctypes.CDLL(None, use_errno=True)
    text = b"".join(struct.pack("HBBI", *each) for each in code)
    memory = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(memory))
    held = ctypes.create_string_buffer(program, len(program))
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, by_filter, held, 0, 0) != 0:
        sys.exit(77)


def main():
    kind, command = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
    if kind == "docker":
        enter(docker_filter())
    elif kind == "untrapped":
        enter(untrapped_filter())
    elif kind == "user":
        is_this = os.path.exists(command[0]) and os.path.samefile(command[0], sys.executable)
        given = [word for word in command if word.startswith("/") and os.path.exists(word)]
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        os.environ["HOME"] = "/tmp"
        if is_this and not os.access(command[0], os.X_OK):  # it is in its user's home
            command[0] = "/usr/bin/python3"
        if not os.access(command[0], os.X_OK) or not all(os.access(word, os.R_OK) for word in given[1:]):
            sys.exit(77)  # the build tree is not everybody's
    elif kind == "namespace":
        command = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", *command]
        if os.spawnvp(os.P_WAIT, "unshare", ["unshare", "--user", "--map-root-user", "true"]) != 0:
            sys.exit(77)
    else:
        sys.exit(f"confined: there is no confinement {kind}")
    os.execvp(command[0], command)


main()
