// Switching contexts, starting kernel threads, going back to the program.
        .text
// void leave_to_program(Context*): restores a context as the kernel does when a signal handler returns.
        .globl leave_to_program
        .type leave_to_program, @function
leave_to_program:
        movq %rdi, %rsp
        movl $15, %eax
        syscall
        ud2
        .size leave_to_program, .-leave_to_program

// void switch_stacks(uint64_t* save_here, uint64_t go_there)
        .globl switch_stacks
        .type switch_stacks, @function
switch_stacks:
        pushq %rbx
        pushq %rbp
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbp
        popq %rbx
        ret
        .size switch_stacks, .-switch_stacks

// What a context made by create_thread finds as its return address; rbx is its Thread.
        .globl first_switch
        .type first_switch, @function
first_switch:
        movq %rbx, %rdi
        xorl %ebp, %ebp
        call run_replayed_thread
        ud2
        .size first_switch, .-first_switch

// long start_kernel_thread(uint64_t flags, uint64_t stack, int* parent_id, uint32_t* clear, uint64_t tls, Thread*)
        .globl start_kernel_thread
        .type start_kernel_thread, @function
start_kernel_thread:
        pushq %r12
        movq %r9, %r12
        movq %rcx, %r10
        movl $56, %eax
        syscall
        testq %rax, %rax
        je 1f
        popq %r12
        ret
1:      xorl %ebp, %ebp
        movq %r12, %rdi
        call run_recorded_thread
        ud2
        .size start_kernel_thread, .-start_kernel_thread

        .section .note.GNU-stack,"",@progbits
