// Entry, signal trampolines and the system call that signals can interrupt without a gap.
        .text
        .globl _start
        .type _start, @function
_start:
        xorl %ebp, %ebp
        movq %rsp, %rdi
        andq $-16, %rsp
        call culprit_loader_start
        ud2
        .size _start, .-_start

// void enter_program(uint64_t entry, uint64_t stack): all other registers as the kernel leaves them.
        .globl enter_program
        .type enter_program, @function
enter_program:
        movq %rsi, %rsp
        movq %rdi, %r11
        pushq $0x202
        popfq
        xorl %eax, %eax
        xorl %ebx, %ebx
        xorl %ecx, %ecx
        xorl %edx, %edx
        xorl %esi, %esi
        xorl %edi, %edi
        xorl %ebp, %ebp
        xorl %r8d, %r8d
        xorl %r9d, %r9d
        xorl %r10d, %r10d
        xorl %r12d, %r12d
        xorl %r13d, %r13d
        xorl %r14d, %r14d
        xorl %r15d, %r15d
        jmpq *%r11
        .size enter_program, .-enter_program

// The restorer of the runtime's own handlers.
        .globl signal_return
        .type signal_return, @function
signal_return:
        movl $15, %eax
        syscall
        ud2
        .size signal_return, .-signal_return

// long interruptible(long number, const uint64_t arguments[6], const volatile uint32_t* pending):
// the call, or -EINTR when *pending is or becomes non-zero before the kernel has taken the call. A handler that finds
// the instruction pointer in [interruptible_check, interruptible_gate] moves it to interruptible_refused.
        .globl interruptible, interruptible_check, interruptible_gate, interruptible_refused
        .type interruptible, @function
interruptible:
        movq %rdi, %rax
        movq %rdx, %rcx
        movq %rsi, %r11
        movq (%r11), %rdi
        movq 8(%r11), %rsi
        movq 16(%r11), %rdx
        movq 24(%r11), %r10
        movq 32(%r11), %r8
        movq 40(%r11), %r9
interruptible_check:
        cmpl $0, (%rcx)
        jne interruptible_refused
interruptible_gate:
        syscall
        ret
interruptible_refused:
        movq $-4, %rax
        ret
        .size interruptible, .-interruptible

// void* memcpy(to, from, bytes), memmove, memset, memcmp: what compilers call even in freestanding code.
        .globl memcpy
        .type memcpy, @function
memcpy:
        movq %rdi, %rax
        movq %rdx, %rcx
        rep movsb
        ret
        .size memcpy, .-memcpy

        .globl memmove
        .type memmove, @function
memmove:
        movq %rdi, %rax
        movq %rdx, %rcx
        movq %rdi, %r8
        subq %rsi, %r8
        cmpq %rdx, %r8
        jb 1f
        rep movsb
        ret
1:      leaq -1(%rdi,%rdx), %rdi
        leaq -1(%rsi,%rdx), %rsi
        std
        rep movsb
        cld
        ret
        .size memmove, .-memmove

        .globl memset
        .type memset, @function
memset:
        movq %rdi, %r8
        movl %esi, %eax
        movq %rdx, %rcx
        rep stosb
        movq %r8, %rax
        ret
        .size memset, .-memset

        .globl memcmp
        .type memcmp, @function
memcmp:
        movq %rdx, %rcx
        xorl %eax, %eax
        testq %rcx, %rcx
        je 2f
        repe cmpsb
        je 2f
        movzbl -1(%rdi), %eax
        movzbl -1(%rsi), %ecx
        subl %ecx, %eax
2:      ret
        .size memcmp, .-memcmp

        .section .note.GNU-stack,"",@progbits
