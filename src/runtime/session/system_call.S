// System calls of the session agent, in a section of their own: in a sealed process the kernel lets only calls from
// here through (syscall user dispatch), all others raise SIGSYS.
        .section .text.culprit.syscall,"ax",@progbits
        .globl  culprit_agent_syscalls_begin
        .hidden culprit_agent_syscalls_begin
culprit_agent_syscalls_begin:

// long culprit_agent_syscall(long number, long a, long b, long c, long d, long e, long f)
        .globl  culprit_agent_syscall
        .hidden culprit_agent_syscall
        .type   culprit_agent_syscall, @function
culprit_agent_syscall:
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
        ret
        .size   culprit_agent_syscall, . - culprit_agent_syscall

// The restorer of the agent's signal handlers.
        .globl  culprit_agent_return
        .hidden culprit_agent_return
        .type   culprit_agent_return, @function
culprit_agent_return:
        movl    $15, %eax
        syscall
        .size   culprit_agent_return, . - culprit_agent_return

// [[noreturn]] void culprit_agent_return_from(void* frame): rt_sigreturn of the kernel's frame at `frame`.
        .globl  culprit_agent_return_from
        .hidden culprit_agent_return_from
        .type   culprit_agent_return_from, @function
culprit_agent_return_from:
        movq    %rdi, %rsp
        movl    $15, %eax
        syscall
        .size   culprit_agent_return_from, . - culprit_agent_return_from

// The kernel compares the address after `syscall`, so the range must reach past the last one.
        .globl  culprit_agent_syscalls_end
        .hidden culprit_agent_syscalls_end
culprit_agent_syscalls_end:
        nop

        .section .note.GNU-stack,"",@progbits
