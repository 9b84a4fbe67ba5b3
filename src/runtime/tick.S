# The slow path of a tick: entered by a jump with the place to continue at in %r11 (format/runtime_abi.h).
#
# Nothing is written to the program's stack: registers go to thread-local memory, the rest of the work is done on the
# runtime's own stack, with signals blocked: natively by the kernel, while a recorder answers calls by its holding them
# back (culprit_signals_wait). A signal handler may get in before they are blocked: its ticks must not come here and
# overwrite what is saved, so the first instruction raises the budget (tick_slow takes that back).

#define BUDGET      %fs:culprit_thread@tpoff
#define SAVE(off)   %fs:culprit_tick_save@tpoff + off
#define RAX   0
#define RBX   8
#define RCX   16
#define RDX   24
#define RSI   32
#define RDI   40
#define RBP   48
#define RSP   56
#define R8    64
#define R9    72
#define R10   80
#define R11   88
#define R12   96
#define R13   104
#define R14   112
#define R15   120
#define FLAGS 128
#define MASK  136
#define STACK 144
#define BLOCKS 152
#define ENDS_BY_CALL 160
#include "runtime/tile_components.h"

#define kTicksWhileSaving 0x40000000
#define kTickStackBytes 65536
#define SYS_mmap 9
#define SYS_rt_sigprocmask 14
#define SIG_SETMASK 2

	.section .rodata
	.p2align 3
.Lall_signals:
	.quad -1

	.text
	.globl culprit_tick_slow
	.hidden culprit_tick_slow
	.type culprit_tick_slow,@function
	.p2align 4
culprit_tick_slow:
	.cfi_startproc
	addq	$kTicksWhileSaving, BUDGET
	movq	%rax, SAVE(RAX)
	movq	%rcx, SAVE(RCX)
	movq	%rdx, SAVE(RDX)
	movq	%rsi, SAVE(RSI)
	movq	%rdi, SAVE(RDI)
	movq	%r10, SAVE(R10)
	movq	%r11, SAVE(R11)

	# Block all signals; the program's mask goes to SAVE(MASK).
	xorl	%eax, %eax
	cmpb	$0, culprit_signals_wait(%rip)
	sete	%al
	movq	%rax, SAVE(BLOCKS)
	jne	.Lblocked
	movl	$SYS_rt_sigprocmask, %eax
	movl	$SIG_SETMASK, %edi
	leaq	.Lall_signals(%rip), %rsi
	movq	%fs:0, %rdx
	leaq	culprit_tick_save@tpoff + MASK(%rdx), %rdx
	movl	$8, %r10d
	syscall

.Lblocked:
	movq	SAVE(STACK), %rax
	testq	%rax, %rax
	jnz	.Lhas_stack
	# A stack for the runtime's work in this thread: mmap(0, size, READ|WRITE, PRIVATE|ANONYMOUS, -1, 0).
	movq	%r8, SAVE(R8)
	movq	%r9, SAVE(R9)
	movl	$SYS_mmap, %eax
	xorl	%edi, %edi
	movl	$kTickStackBytes, %esi
	movl	$3, %edx
	movl	$0x22, %r10d
	movq	$-1, %r8
	xorl	%r9d, %r9d
	syscall
	movq	SAVE(R8), %r8
	movq	SAVE(R9), %r9
	cmpq	$-4096, %rax
	ja	.Lno_memory
	addq	$kTickStackBytes, %rax
	movq	%rax, SAVE(STACK)
.Lhas_stack:
	movq	%rsp, SAVE(RSP)
	movq	%rax, %rsp
	.cfi_undefined %rip
	movq	%rbx, SAVE(RBX)
	movq	%rbp, SAVE(RBP)
	movq	%r8, SAVE(R8)
	movq	%r9, SAVE(R9)
	movq	%r12, SAVE(R12)
	movq	%r13, SAVE(R13)
	movq	%r14, SAVE(R14)
	movq	%r15, SAVE(R15)

	# Vector and floating-point state, as large as this processor's enabled state (cpuid leaf 13). Asked once a process:
	# a recorder traps it.
	movl	.Lstate_bytes(%rip), %ebx
	testl	%ebx, %ebx
	jnz	.Lhas_state_bytes
	movl	$13, %eax
	xorl	%ecx, %ecx
	cpuid
	movl	%ebx, .Lstate_bytes(%rip)
.Lhas_state_bytes:
	movq	%rsp, %rbp
	subq	%rbx, %rsp
	andq	$-64, %rsp
	movq	%rsp, %rbx
	xorl	%eax, %eax
	leaq	512(%rbx), %rdi		# the header must be zero before xsave
	movl	$8, %ecx
	rep stosq
	# AMX tiles stay where they are: nothing below touches them, and they may not be restored before the program has asked
	# for them.
	movl	$~kTileComponents, %eax
	movl	$-1, %edx
	xsave64	(%rbx)
	# Which components count as in use depends on what else ran on this processor, so memory says: all. Restored are those
	# that were: vector registers whose upper halves count as in use slow down the program's SSE instructions.
	movq	512(%rbx), %r12
	xorl	%ecx, %ecx
	xgetbv
	andl	$~kTileComponents, %eax
	shlq	$32, %rdx
	leaq	(%rax,%rdx), %r13
	movq	%r13, 512(%rbx)

	# The C part runs by the rules of the ABI: known rounding, direction flag clear.
	cld
	movq	%fs:0, %rdi
	leaq	culprit_tick_save@tpoff(%rdi), %rdi
	call	culprit_tick_slow_part

	movq	%r12, 512(%rbx)
	movl	$~kTileComponents, %eax
	movl	$-1, %edx
	xrstor64 (%rbx)
	movq	%r13, 512(%rbx)
	movq	SAVE(RBX), %rbx
	movq	SAVE(RBP), %rbp
	movq	SAVE(R8), %r8
	movq	SAVE(R9), %r9
	movq	SAVE(R12), %r12
	movq	SAVE(R13), %r13
	movq	SAVE(R14), %r14
	movq	SAVE(R15), %r15
	movq	SAVE(RSP), %rsp

	# From here on signals may be handled, on the program's stack as ever; the budget keeps ticks out of here. Without a
	# mask to put back the call only lets a recorder give them.
	cmpq	$0, SAVE(ENDS_BY_CALL)
	je	.Lended
	movl	$SYS_rt_sigprocmask, %eax
	movl	$SIG_SETMASK, %edi
	xorl	%esi, %esi
	cmpq	$0, SAVE(BLOCKS)
	je	.Lno_mask
	movq	%fs:0, %rsi
	leaq	culprit_tick_save@tpoff + MASK(%rsi), %rsi
.Lno_mask:
	xorl	%edx, %edx
	movl	$8, %r10d
	syscall
.Lended:
	movq	SAVE(RAX), %rax
	movq	SAVE(RCX), %rcx
	movq	SAVE(RDX), %rdx
	movq	SAVE(RSI), %rsi
	movq	SAVE(RDI), %rdi
	movq	SAVE(R10), %r10
	movq	SAVE(R11), %r11
	jmp	*%r11

.Lno_memory:
	ud2
	.cfi_endproc
	.size culprit_tick_slow, .-culprit_tick_slow

	.local .Lstate_bytes
	.comm .Lstate_bytes,4,4
	.section .note.GNU-stack,"",@progbits
