#include "runtime/stacks.h"

#include <sys/syscall.h>

#include "runtime/overflow.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin_lock.h"
#include "runtime/text.h"

namespace culprit::runtime {
namespace {

constexpr uintptr_t kPage = 4096;
constexpr uintptr_t kMiB = 1 << 20;
constexpr uintptr_t kGiB = 1 << 30;

// Of a slot's stride, the lower half is for the user stack, the upper half for the private one, each ending at the top.
struct Range {
  uintptr_t base;
  uintptr_t stride;
  uint32_t slots;
};
constexpr Range kThreads = {0x640000000000, 2 * kGiB, 4096};
constexpr Range kContexts = {0x740000000000, 256 * kMiB, 8192};

// Reading a little beyond the outermost frame finds memory, as it does natively (environment, auxiliary vector).
constexpr uintptr_t kSlack = kPage;

// Variables that share machine stack natively, by turns, have places of their own here, and threads may have been given
// more than the limit: a stack of ours must not be the first to overflow when the program is in order.
constexpr uintptr_t kLimitFactor = 4;
constexpr uintptr_t kSmallest = 64 * kMiB;
constexpr uintptr_t kSmallestOfContext = 256 * 1024;

// At the low end of a thread's halves, for the variables of a handler that is told of an overflow. As an alternate
// signal stack is at least 8 KiB and usually at most 64, this is plenty.
constexpr uintptr_t kEmergency = 256 * 1024;

struct Slot {
  int owner;  // thread id; 0 when free, kPinned when it may never be used again
  bool mapped;
  bool has_emergency;
  uintptr_t user_bytes;
};
constexpr int kPinned = -1;
constexpr long kNoSuchThread = -3;  // -ESRCH

struct Context {
  uintptr_t machine_stack;
  uintptr_t machine_bytes;
  uintptr_t bytes;
};

struct Stacks {
  int lock;
  int process;
  uint32_t used;        // slots below were used once
  uint32_t next_check;  // whose owner to look after next
  Slot slots[kThreads.slots];
  uint32_t contexts_used;
  Context contexts[kContexts.slots];
};

Stacks stacks;

// A signal handler may come while the lock is held only in a thread that has its stacks already; it asks for none.
class Locked : SpinLock {
 public:
  Locked() : SpinLock(stacks.lock, [] { __builtin_ia32_pause(); }) {}
};

uintptr_t half(const Range& range) {
  return range.stride / 2;
}
uintptr_t user_end(const Range& range, uint32_t slot) {
  return range.base + slot * range.stride + half(range);
}
uintptr_t private_end(const Range& range, uint32_t slot) {
  return user_end(range, slot) + half(range);
}

uintptr_t limited_bytes() {
  struct {
    uint64_t soft, hard;
  } limit = {};
  constexpr long kStackLimit = 3;  // RLIMIT_STACK
  raw_syscall(SYS_prlimit64, 0, kStackLimit, 0, as_argument(&limit));
  const uintptr_t most = half(kThreads) - kEmergency - 2 * kPage;
  if (limit.soft > most / kLimitFactor) return most;
  const uintptr_t bytes = limit.soft * kLimitFactor;
  return bytes < kSmallest ? kSmallest : bytes & ~(kPage - 1);
}

bool is_error(long result) {
  return result < 0 && result > -4096;
}

bool map_writable(uintptr_t low, uintptr_t bytes, long how) {
  constexpr long kReadWrite = 3;
  constexpr long kPrivateAnonymousStackNoReserve = 0x02 | 0x20 | 0x20000 | 0x4000;
  const long result = raw_syscall(SYS_mmap, low, bytes, kReadWrite, kPrivateAnonymousStackNoReserve | how, -1, 0);
  if (is_error(result)) return false;
  if (static_cast<uintptr_t>(result) == low) return true;
  raw_syscall(SYS_munmap, result, bytes);  // a kernel too old for MAP_FIXED_NOREPLACE takes it for a wish
  return false;
}

constexpr long kFixedNoReplace = 0x100000;

// Nothing is mapped in the lowest page, not even without access: programs tell an overflow of their stack from other
// faults by what the memory map shows beneath it, which natively is a gap.
bool map_stack(uintptr_t end, uintptr_t bytes) {
  return map_writable(end - bytes + kPage, bytes - kPage, kFixedNoReplace);
}

void unmap_stack(uintptr_t end, uintptr_t bytes) {
  raw_syscall(SYS_munmap, end - bytes + kPage, bytes - kPage);
}

bool map_pair(const Range& range, uint32_t slot, uintptr_t bytes) {
  if (!map_stack(user_end(range, slot), bytes)) return false;
  if (map_stack(private_end(range, slot), bytes)) return true;
  unmap_stack(user_end(range, slot), bytes);
  return false;
}

bool map_slot(uint32_t index) {
  Slot& slot = stacks.slots[index];
  // Under a limit on address space less must do.
  for (uintptr_t bytes = limited_bytes(); bytes >= kMiB; bytes = bytes / 2 & ~(kPage - 1)) {
    if (!map_pair(kThreads, index, bytes)) continue;
    slot.user_bytes = bytes;
    slot.mapped = true;
    return true;
  }
  return false;
}

// The next owner's stack starts empty, whatever the last one left there.
void clear_slot(uint32_t index) {
  constexpr long kDontNeed = 4;
  const uintptr_t bytes = stacks.slots[index].user_bytes - kPage;
  raw_syscall(SYS_madvise, user_end(kThreads, index) - bytes, bytes, kDontNeed);
  raw_syscall(SYS_madvise, private_end(kThreads, index) - bytes, bytes, kDontNeed);
}

// In a forked child the threads of the parent look dead, but one of them is alive under another id.
void notice_fork() {
  const int process = static_cast<int>(raw_syscall(SYS_getpid));
  if (stacks.process == process) return;
  if (stacks.process != 0) {
    for (uint32_t i = 0; i < stacks.used; ++i) {
      if (stacks.slots[i].owner != 0) stacks.slots[i].owner = kPinned;
    }
  }
  stacks.process = process;
}

// A few at a time: a program with thousands of threads must not pay for all of them at each start.
void free_slots_of_dead_threads(int own_thread) {
  constexpr uint32_t kChecksPerAttach = 16;
  for (uint32_t check = 0; check < kChecksPerAttach && check < stacks.used; ++check) {
    stacks.next_check = (stacks.next_check + 1) % stacks.used;
    Slot& slot = stacks.slots[stacks.next_check];
    if (slot.owner == 0 || slot.owner == kPinned) continue;
    const bool dead =
        slot.owner == own_thread || raw_syscall(SYS_tgkill, stacks.process, slot.owner, 0) == kNoSuchThread;
    if (dead) slot.owner = 0;
  }
}

uint32_t take_slot(int thread) {
  for (uint32_t i = 0; i < kThreads.slots; ++i) {
    Slot& slot = stacks.slots[i];
    if (slot.owner != 0) continue;
    if (slot.mapped) {
      clear_slot(i);
    } else if (!map_slot(i)) {
      slot.owner = kPinned;  // something else lies there
      if (i >= stacks.used) stacks.used = i + 1;
      continue;
    }
    slot.owner = thread;
    if (i >= stacks.used) stacks.used = i + 1;
    return i;
  }
  fail("culprit: no room for the stacks of another thread\n");
}

bool is_beneath(uintptr_t address, uintptr_t end, uintptr_t half, uintptr_t bytes) {
  return address >= end - half && address < end - bytes + kPage;
}

StackFault examine_thread_fault(uintptr_t address, uint32_t index, size_t* bytes) {
  Slot& slot = stacks.slots[index];
  if (!slot.mapped) return StackFault::kNone;
  const uintptr_t ends[] = {user_end(kThreads, index), private_end(kThreads, index)};
  for (uintptr_t end : ends) {
    if (!is_beneath(address, end, half(kThreads), slot.user_bytes)) continue;
    const uintptr_t now = limited_bytes();
    *bytes = slot.user_bytes;
    if (now <= slot.user_bytes || address < end - now + kPage) return StackFault::kOverflow;
    for (uintptr_t growing : ends) {
      if (!map_writable(growing - now + kPage, now - slot.user_bytes, kFixedNoReplace)) return StackFault::kOverflow;
    }
    slot.user_bytes = now;
    return StackFault::kGrown;
  }
  return StackFault::kNone;
}

// The machine stack identifies a context: contexts are never destroyed, but where another one's machine stack overlaps,
// the earlier one is no more.
uint32_t slot_of_context(uintptr_t machine_stack, uintptr_t machine_bytes) {
  uint32_t slot = 0;
  while (slot < stacks.contexts_used) {
    const Context& context = stacks.contexts[slot];
    if (machine_stack < context.machine_stack + context.machine_bytes &&
        context.machine_stack < machine_stack + machine_bytes) {
      break;
    }
    ++slot;
  }
  if (slot == kContexts.slots) fail("culprit: no room for the stacks of another context\n");
  return slot;
}

uintptr_t context_bytes(uintptr_t machine_bytes) {
  const uintptr_t most = half(kContexts) - kPage;
  if (machine_bytes > most / kLimitFactor) return most;
  const uintptr_t bytes = (machine_bytes * kLimitFactor + kPage - 1) & ~(kPage - 1);
  return bytes < kSmallestOfContext ? kSmallestOfContext : bytes;
}

// The members of glibc's ucontext_t for x86-64 that matter here.
struct MachineContext {
  uint64_t flags;
  void* link;
  void* stack;
  int stack_flags;
  size_t stack_bytes;
  uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
};
static_assert(offsetof(MachineContext, rip) == 168);

}  // namespace

StackFault examine_fault(uintptr_t address, size_t* stack_bytes) {
  if (address >= kThreads.base && address < kThreads.base + kThreads.slots * kThreads.stride) {
    return examine_thread_fault(address, (address - kThreads.base) / kThreads.stride, stack_bytes);
  }
  if (address >= kContexts.base && address < kContexts.base + kContexts.slots * kContexts.stride) {
    const auto index = static_cast<uint32_t>((address - kContexts.base) / kContexts.stride);
    *stack_bytes = stacks.contexts[index].bytes;
    if (is_beneath_stack(address)) return StackFault::kOverflow;
  }
  return StackFault::kNone;
}

bool is_beneath_stack(uintptr_t address) {
  const auto is_in = [address](const auto& area) {
    return address >= area.base && address < area.base + area.slots * area.stride;
  };
  if (is_in(kThreads)) {
    const uint32_t index = static_cast<uint32_t>((address - kThreads.base) / kThreads.stride);
    const Slot& slot = stacks.slots[index];
    return slot.mapped && (is_beneath(address, user_end(kThreads, index), half(kThreads), slot.user_bytes) ||
                           is_beneath(address, private_end(kThreads, index), half(kThreads), slot.user_bytes));
  }
  if (!is_in(kContexts)) return false;
  const uint32_t index = static_cast<uint32_t>((address - kContexts.base) / kContexts.stride);
  const uintptr_t bytes = stacks.contexts[index].bytes;
  return is_beneath(address, user_end(kContexts, index), half(kContexts), bytes) ||
         is_beneath(address, private_end(kContexts, index), half(kContexts), bytes);
}

bool is_below_machine_stack(uintptr_t address, uintptr_t stack_pointer) {
  constexpr uintptr_t kFarthestBelow = 256 * 1024, kFarthestAbove = kPage;
  return address + kFarthestBelow > stack_pointer && address < stack_pointer + kFarthestAbove;
}

uintptr_t address_beneath_user_stack(const format::ThreadState& thread) {
  const auto user_sp = reinterpret_cast<uintptr_t>(thread.user_sp);
  constexpr uintptr_t kBelowLowest = 16;
  if (user_sp >= kContexts.base && user_sp < kContexts.base + kContexts.slots * kContexts.stride) {
    const auto index = static_cast<uint32_t>((user_sp - kContexts.base) / kContexts.stride);
    return user_end(kContexts, index) - stacks.contexts[index].bytes + kPage - kBelowLowest;
  }
  if (thread.stack_slot == 0) return 0;
  const uint32_t index = thread.stack_slot - 1;
  return user_end(kThreads, index) - stacks.slots[index].user_bytes + kPage - kBelowLowest;
}

bool use_emergency_stacks(format::ThreadState& thread) {
  if (thread.stack_slot == 0) return false;
  const uint32_t index = thread.stack_slot - 1;
  Slot& slot = stacks.slots[index];
  const uintptr_t user_low = user_end(kThreads, index) - half(kThreads) + kPage;
  const uintptr_t private_low = private_end(kThreads, index) - half(kThreads) + kPage;
  if (!slot.has_emergency) {
    if (!map_writable(user_low, kEmergency, kFixedNoReplace)) return false;
    if (!map_writable(private_low, kEmergency, kFixedNoReplace)) return false;
    slot.has_emergency = true;
  }
  thread.user_sp = reinterpret_cast<char*>(user_low + kEmergency);
  thread.private_sp = reinterpret_cast<char*>(private_low + kEmergency);
  return true;
}

void fail(const char* message) {
  Text text;
  text.add(message);
  text.print();
  raw_syscall(SYS_exit_group, 127);
  __builtin_trap();
}

}  // namespace culprit::runtime

using namespace culprit::runtime;

extern "C" void culprit_context_start();

extern "C" void culprit_stacks_attach(culprit::format::ThreadState* thread) {
  const int id = static_cast<int>(raw_syscall(SYS_gettid));
  uint32_t index;
  {
    Locked locked;
    notice_fork();
    if (stacks.used == 0) watch_for_overflows();
    free_slots_of_dead_threads(id);
    index = take_slot(id);
  }
  thread->user_sp = reinterpret_cast<char*>(user_end(kThreads, index) - kSlack);
  thread->private_sp = reinterpret_cast<char*>(private_end(kThreads, index) - kSlack);
  thread->stack_slot = index + 1;
}

extern "C" void culprit_stacks_release(culprit::format::ThreadState* thread) {
  if (thread->stack_slot == 0) return;
  Locked locked;
  stacks.slots[thread->stack_slot - 1].owner = 0;
  thread->stack_slot = 0;
}

// setcontext restores the registers that functions preserve: they carry what culprit_context_start needs.
extern "C" void culprit_context_made(void* context) {
  auto* machine = static_cast<MachineContext*>(context);
  const auto machine_stack = reinterpret_cast<uintptr_t>(machine->stack);
  Locked locked;
  const uint32_t slot = slot_of_context(machine_stack, machine->stack_bytes);
  Context& entry = stacks.contexts[slot];
  const uintptr_t bytes = context_bytes(machine->stack_bytes);
  if (entry.bytes < bytes) {
    if (entry.bytes > 0) {
      unmap_stack(user_end(kContexts, slot), entry.bytes);
      unmap_stack(private_end(kContexts, slot), entry.bytes);
    }
    if (!map_pair(kContexts, slot, bytes)) fail("culprit: no memory for the stacks of a context\n");
    entry.bytes = bytes;
  }
  entry.machine_stack = machine_stack;
  entry.machine_bytes = machine->stack_bytes;
  if (slot >= stacks.contexts_used) stacks.contexts_used = slot + 1;
  machine->r12 = machine->rip;
  machine->r13 = user_end(kContexts, slot) - kSlack;
  machine->r14 = private_end(kContexts, slot) - kSlack;
  machine->rip = reinterpret_cast<uint64_t>(&culprit_context_start);
}
