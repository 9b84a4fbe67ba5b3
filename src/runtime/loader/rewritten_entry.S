// Entry from a rewritten call site (call_sites.h): %rcx is the address behind the `syscall`, %r11 where to go on. Builds
// a Context on the thread's runtime stack without touching the program's, and leaves by plain jumps.
#include "runtime/tile_components.h"

#define CONTEXT_HERE  %gs:8
#define PROGRAM_STACK %gs:16
#define GO_ON         %gs:24
#define R8      40
#define R9      48
#define R10     56
#define R11     64
#define R12     72
#define R13     80
#define R14     88
#define R15     96
#define RDI     104
#define RSI     112
#define RBP     120
#define RBX     128
#define RDX     136
#define RAX     144
#define RCX     152
#define RSP     160
#define RIP     168
#define RFLAGS  176
#define FPSTATE 224
        .text
        .globl rewritten_entry, rewritten_leave, rewritten_end
        .type rewritten_entry, @function
        .p2align 4
rewritten_entry:
        movq %r11, GO_ON
        movq %rsp, PROGRAM_STACK
        movq CONTEXT_HERE, %rsp
        pushfq
        popq %r11
        cld
        movq %r8, R8(%rsp)
        movq %r9, R9(%rsp)
        movq %r10, R10(%rsp)
        movq %r11, R11(%rsp)
        movq %r12, R12(%rsp)
        movq %r13, R13(%rsp)
        movq %r14, R14(%rsp)
        movq %r15, R15(%rsp)
        movq %rdi, RDI(%rsp)
        movq %rsi, RSI(%rsp)
        movq %rbp, RBP(%rsp)
        movq %rbx, RBX(%rsp)
        movq %rdx, RDX(%rsp)
        movq %rax, RAX(%rsp)
        movq %rcx, RCX(%rsp)
        movq %rcx, RIP(%rsp)
        movq %r11, RFLAGS(%rsp)
        movq PROGRAM_STACK, %rax
        movq %rax, RSP(%rsp)
        movq $0, FPSTATE(%rsp)
        xorl %ebp, %ebp
        movq %rsp, %rdi
        call on_rewritten_call
rewritten_leave:                        // a fatal signal that comes here finds nothing of the runtime to be done
        cmpq $0, FPSTATE(%rsp)
        jne 1f
        movq R8(%rsp), %r8
        movq R9(%rsp), %r9
        movq R10(%rsp), %r10
        movq R11(%rsp), %r11
        movq R12(%rsp), %r12
        movq R13(%rsp), %r13
        movq R14(%rsp), %r14
        movq R15(%rsp), %r15
        movq RDI(%rsp), %rdi
        movq RSI(%rsp), %rsi
        movq RBP(%rsp), %rbp
        movq RBX(%rsp), %rbx
        movq RDX(%rsp), %rdx
        movq RAX(%rsp), %rax
        movq RCX(%rsp), %rcx
        pushq RFLAGS(%rsp)
        popfq
        movq RSP(%rsp), %rsp
        jmpq *GO_ON
rewritten_end:
1:      movq %rsp, %rdi
        jmp leave_to_program
        .size rewritten_entry, .-rewritten_entry

// void save_state(void* to), restore_state(const void*): the enabled components, as the kernel saves them; without AMX
// tiles, which nothing in the loader touches and which may not be restored before the program has asked for them.
        .globl save_state
        .type save_state, @function
save_state:
        movl $~kTileComponents, %eax
        movl $-1, %edx
        xsave64 (%rdi)
        ret
        .size save_state, .-save_state

        .globl restore_state
        .type restore_state, @function
restore_state:
        movl $~kTileComponents, %eax
        movl $-1, %edx
        xrstor64 (%rdi)
        ret
        .size restore_state, .-restore_state

        .section .note.GNU-stack,"",@progbits
