// Inline assembly: asm goto, local labels, a global symbol defined in a function, statics named only by assembly.
// EXPECT: jumped 1 0
// EXPECT: bits 3
// EXPECT: static called 42
// EXPECT: variable 77
// EXPECT: symbol 90
// EXPECT: naked 30
#include <stdio.h>

static int jumps(int x) {
  __asm__ goto("testl %0, %0\n\tjnz %l1" : : "r"(x) : "cc" : taken);
  return 0;
taken:
  return 1;
}

static int count_bits(unsigned x) {
  int bits = 0;
  __asm__("1:\n\ttestl %1, %1\n\tjz 2f\n\tmovl %1, %%eax\n\tdecl %%eax\n\tandl %%eax, %1\n\tincl %0\n\tjmp 1b\n2:"
          : "+r"(bits), "+r"(x) : : "eax", "cc");
  return bits;
}

__attribute__((used)) static int called_by_assembly(void) { return 42; }
static int call_by_name(void) {
  int result;
  __asm__ volatile("subq $136, %%rsp\n\tcall called_by_assembly\n\taddq $136, %%rsp"
                   : "=a"(result) : : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
  return result;
}

__attribute__((used)) static int named_variable = 77;
static int read_by_name(void) {
  int result;
  __asm__ volatile("movl named_variable(%%rip), %0" : "=r"(result));
  return result;
}

extern int symbol_in_function(void);
__attribute__((noinline)) int defines_symbol(void) {
  __asm__ volatile("jmp 1f\n\t.globl symbol_in_function\nsymbol_in_function:\n\tmovl $90, %%eax\n\tret\n1:" : : : "memory");
  return symbol_in_function();
}

__attribute__((naked)) static int naked(int a, int b) {
  __asm__("leal (%rdi,%rsi), %eax\n\tret");
}

int main(void) {
  printf("jumped %d %d\n", jumps(5), jumps(0));
  printf("bits %d\n", count_bits(0x1010010));
  printf("static called %d\n", call_by_name());
  named_variable = 77;
  printf("variable %d\n", read_by_name());
  printf("symbol %d\n", defines_symbol());
  printf("naked %d\n", naked(10, 20));
  return 0;
}
