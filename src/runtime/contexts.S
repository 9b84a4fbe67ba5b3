// Where a context made by makecontext starts (culprit_context_made in stacks.cc): r12 holds the function, r13 and r14 the tops
// of the context's user and private stack. The arguments and the return address are in their places already.
        .text
        .globl  culprit_context_start
        .hidden culprit_context_start
        .type   culprit_context_start, @function
culprit_context_start:
        .cfi_startproc
        .cfi_undefined rip
        movq    culprit_thread@gottpoff(%rip), %r11
        movq    %r13, %fs:16(%r11)      // ThreadState::user_sp
        movq    %r14, %fs:24(%r11)      // ThreadState::private_sp
        jmpq    *%r12
        .cfi_endproc
        .size   culprit_context_start, . - culprit_context_start
        .section .note.GNU-stack,"",@progbits
