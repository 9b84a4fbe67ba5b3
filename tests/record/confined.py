#!/usr/bin/env python3
"""Runs a command with fewer rights: confined.py docker|user|namespace -- COMMAND…

docker: under a seccomp filter that denies what Docker's default profile denies to a container without capabilities.
user: as the user `nobody` (needs root; otherwise as whoever calls). namespace: in a user namespace of its own.
Exit status 77 where that cannot be had.
"""
import ctypes
import os
import struct
import sys

# System calls of x86-64 that the profile does not allow without capabilities; all give EPERM.
DENIED = {
    134: "uselib", 136: "ustat", 139: "sysfs", 153: "vhangup", 155: "pivot_root", 156: "_sysctl", 159: "adjtimex", 161: "chroot",
    163: "acct", 164: "settimeofday", 165: "mount", 166: "umount2", 167: "swapon", 168: "swapoff", 169: "reboot",
    170: "sethostname", 171: "setdomainname", 172: "iopl", 173: "ioperm", 174: "create_module", 175: "init_module",
    176: "delete_module", 177: "get_kernel_syms", 178: "query_module", 179: "quotactl", 180: "nfsservctl", 103: "syslog",
    212: "lookup_dcookie", 227: "clock_settime", 237: "mbind", 238: "set_mempolicy", 239: "get_mempolicy", 246: "kexec_load",
    248: "add_key", 249: "request_key", 250: "keyctl", 256: "migrate_pages", 272: "unshare", 279: "move_pages",
    298: "perf_event_open", 300: "fanotify_init", 304: "open_by_handle_at", 305: "clock_adjtime", 308: "setns", 312: "kcmp",
    313: "finit_module", 320: "kexec_file_load", 321: "bpf", 323: "userfaultfd", 425: "io_uring_setup", 426: "io_uring_enter",
    427: "io_uring_register", 428: "open_tree", 429: "move_mount", 430: "fsopen", 431: "fsconfig", 432: "fsmount", 433: "fspick",
    442: "mount_setattr", 443: "quotactl_fd",
}
PERSONALITY, CLONE, CLONE3 = 135, 56, 435
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xffffffff)
NAMESPACES = 0x7e020000
EPERM, ENOSYS = 1, 38


def docker_filter():
    """BPF instructions (code, jump if true, jump if false, value)."""
    load, jump_equal, jump_set, give = 0x20, 0x15, 0x45, 0x06
    allow, error = 0x7fff0000, 0x00050000
    code = [(load, 0, 0, 0)]
    for number in sorted(DENIED):
        code += [(jump_equal, 0, 1, number), (give, 0, 0, error | EPERM)]
    code += [(jump_equal, 0, 1, CLONE3), (give, 0, 0, error | ENOSYS)]
    code += [(jump_equal, 0, 4, CLONE), (load, 0, 0, 16), (jump_set, 0, 1, NAMESPACES), (give, 0, 0, error | EPERM), (give, 0, 0, allow)]
    code += [(jump_equal, 0, len(PERSONALITIES) * 2 + 2, PERSONALITY), (load, 0, 0, 16)]
    for value in PERSONALITIES:
        code += [(jump_equal, 0, 1, value), (give, 0, 0, allow)]
    code += [(give, 0, 0, error | EPERM), (give, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *each) for each in code), len(code)


def enter_docker():
    libc = ctypes.CDLL(None, use_errno=True)
    text, count = docker_filter()
    memory = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("HxxxxxxQ", count, ctypes.addressof(memory))
    held = ctypes.create_string_buffer(program, len(program))
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, by_filter, held, 0, 0) != 0:
        sys.exit(77)


def main():
    kind, command = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
    if kind == "docker":
        enter_docker()
    elif kind == "user":
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        os.environ["HOME"] = "/tmp"
        if any(word.startswith("/") and not os.access(word, os.R_OK) for word in command):
            sys.exit(77)  # the build tree is not everybody's
    elif kind == "namespace":
        command = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", *command]
        if os.spawnvp(os.P_WAIT, "unshare", ["unshare", "--user", "--map-root-user", "true"]) != 0:
            sys.exit(77)
    else:
        sys.exit(f"confined: there is no confinement {kind}")
    os.execvp(command[0], command)


main()
