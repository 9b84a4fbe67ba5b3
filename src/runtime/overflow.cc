#include "runtime/overflow.h"

#include <elf.h>
#include <sys/syscall.h>

#include "runtime/raw_syscall.h"
#include "runtime/signal_layout.h"
#include "runtime/stacks.h"
#include "runtime/text.h"

extern "C" const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
extern "C" void culprit_signal_return();

__asm__(
    ".text\n"
    ".hidden culprit_signal_return\n"
    ".globl culprit_signal_return\n"
    "culprit_signal_return:\n"
    "  movl $15, %eax\n"  // rt_sigreturn
    "  syscall\n");

namespace culprit::runtime {
namespace {

constexpr unsigned long kWithInfo = 4, kWithRestorer = 0x04000000;

struct KernelSigaction {
  void (*handler)(int, char*, char*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

// The executable's symbol table, mapped from its file while the process is about to die.
class Symbols {
 public:
  Symbols() {
    const long file = raw_syscall(SYS_open, as_argument("/proc/self/exe"), 0, 0);
    if (file < 0) return;
    alignas(8) char status[144];
    if (raw_syscall(SYS_fstat, file, as_argument(status)) == 0) {
      size_ = read_at<uint64_t>(status, 48);
      constexpr long kRead = 1, kPrivate = 2;
      const long mapped = raw_syscall(SYS_mmap, 0, size_, kRead, kPrivate, file, 0);
      if (mapped > 0) find_table(reinterpret_cast<const char*>(mapped));
    }
    raw_syscall(SYS_close, file);
  }

  /// The name of the function that holds `address`, or null.
  const char* function_at(uintptr_t address) const {
    for (uint64_t i = 0; i < count_; ++i) {
      const Elf64_Sym& symbol = symbols_[i];
      const uintptr_t start = symbol.st_value + bias_;
      const bool holds =
          ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address >= start && address - start < symbol.st_size;
      if (holds && symbol.st_name < names_bytes_) return names_ + symbol.st_name;
    }
    return nullptr;
  }

 private:
  bool fits(uint64_t offset, uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  void find_table(const char* file) {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
    if (!fits(0, sizeof *header) || !fits(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr))) return;
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr& table = sections[i];
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
      const Elf64_Shdr& names = sections[table.sh_link];
      if (!fits(table.sh_offset, table.sh_size) || !fits(names.sh_offset, names.sh_size)) return;
      symbols_ = reinterpret_cast<const Elf64_Sym*>(file + table.sh_offset);
      count_ = table.sh_size / sizeof(Elf64_Sym);
      names_ = file + names.sh_offset;
      names_bytes_ = names.sh_size;
    }
    // Where the file says that it starts, against where it does.
    const auto* segments = reinterpret_cast<const Elf64_Phdr*>(file + header->e_phoff);
    if (!fits(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr))) return;
    for (int i = 0; i < header->e_phnum; ++i) {
      if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0) {
        bias_ = reinterpret_cast<uintptr_t>(&__ehdr_start) - segments[i].p_vaddr;
        return;
      }
    }
  }

  uint64_t size_ = 0;
  const Elf64_Sym* symbols_ = nullptr;
  uint64_t count_ = 0;
  const char* names_ = nullptr;
  uint64_t names_bytes_ = 0;
  uintptr_t bias_ = 0;
};

// A body's symbol without the suffix that tells bodies apart.
size_t plain_length(const char* symbol) {
  const size_t length = length_of(symbol);
  const char* const suffixes[] = {format::kFastSuffix, format::kObservedSuffix};
  for (const char* suffix : suffixes) {
    const size_t tail = length_of(suffix);
    if (length > tail && is_same(symbol + length - tail, suffix, tail)) return length - tail;
  }
  return length;
}

// The program's own function: where the fault is or, when that is in a library, the nearest caller whose return address
// the machine stack holds.
const char* function_in_trouble(const char* context) {
  const Symbols symbols;
  if (const char* name = symbols.function_at(read_at<uint64_t>(context, kSavedInstruction))) return name;
  const auto* word = reinterpret_cast<const uintptr_t*>(read_at<uint64_t>(context, kSavedStackPointer));
  constexpr int kWordsToSearch = 256;
  for (int i = 0; i < kWordsToSearch; ++i) {
    if (const char* name = symbols.function_at(word[i])) return name;
  }
  return nullptr;
}

void report(const char* context, size_t stack_bytes) {
  Text text;
  text.add("culprit: stack overflow in ");
  const char* name = function_in_trouble(context);
  if (name) {
    text.add(name, plain_length(name));
  } else {
    text.add("an unknown function");
  }
  text.add(": the variables of all active calls need more than ");
  text.add(stack_bytes >> 10);
  text.add(" KiB\n");
  text.print();
}

void set_default_action() {
  KernelSigaction action = {};
  raw_syscall(SYS_rt_sigaction, kSegmentationFault, as_argument(&action), 0, sizeof action.mask);
}

void on_fault(int, char* signal, char* context) {
  const int code = read_at<int>(signal, kSignalCode);
  size_t stack_bytes = 0;
  const bool from_kernel = code > 0;
  if (from_kernel) {
    const StackFault fault = examine_fault(read_at<uintptr_t>(signal, kSignalAddress), &stack_bytes);
    if (fault == StackFault::kGrown) return;
    if (fault == StackFault::kOverflow) return die_of_overflow(context, stack_bytes);
  }
  // The fault happens again on return and kills; a signal that someone sent has to be sent again.
  set_default_action();
  if (!from_kernel) {
    raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), kSegmentationFault);
  }
}

}  // namespace

void die_of_overflow(const char* context, size_t stack_bytes) {
  report(context, stack_bytes);
  set_default_action();
}

bool is_overflow_watch(const void* handler) {
  return handler == reinterpret_cast<const void*>(on_fault);
}

void watch_for_overflows() {
  KernelSigaction old = {};
  raw_syscall(SYS_rt_sigaction, kSegmentationFault, 0, as_argument(&old), sizeof old.mask);
  if (old.handler != nullptr) return;
  KernelSigaction action = {on_fault, kWithInfo | kWithRestorer, culprit_signal_return, 0};
  raw_syscall(SYS_rt_sigaction, kSegmentationFault, as_argument(&action), 0, sizeof action.mask);
}

}  // namespace culprit::runtime
