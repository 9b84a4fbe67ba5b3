// What a session puts in the place of library functions: the heap's, so that fresh memory, the room of blocks and their
// release can be altered, those that set signal handlers, so that the agent sees faults before the program does, and
// the one by which C++ streams get buffers of their own, so that output is written where the program hands it over.
// Without a session they pass everything on. Weak: a program that has its own keeps it.

#include <asm/unistd.h>

#include "runtime/fault_handlers.h"
#include "runtime/heap_functions.h"
#include "runtime/session/agent.h"

extern "C" {
int setvbuf(void* stream, char* buffer, int mode, size_t bytes) __attribute__((weak));
extern void* stdout __attribute__((weak));
void* dlsym(void* handle, const char* name) __attribute__((weak));
}

namespace culprit::agent {
namespace {

using format::HeapAlteration;
using format::HeapControl;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kBlocks = uint64_t{1} << 22;  // of the table; a power of two

/// Live blocks with a number and a size, by address. Open addressing; never more than half full.
struct Block {
  uint64_t address;  // 0: never used; 1: given back
  uint64_t number;
  uint64_t bytes;
};
Block* blocks;
uint64_t used;
int lock;

class Locked {
 public:
  Locked() {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) call(__NR_sched_yield);
  }
  ~Locked() { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
};

HeapControl* altered() {
  return control && control->heap.alteration != HeapAlteration::kNone ? &control->heap : nullptr;
}

uint64_t slot_of(uint64_t address) {
  return (address >> 4) * 0x9e3779b97f4a7c15u >> 42 & (kBlocks - 1);
}

void remember(void* block, uint64_t number, uint64_t bytes) {
  if (!blocks) {
    constexpr int kReadWrite = 3, kPrivateAnonymous = 0x22;
    const long memory = call(__NR_mmap, nullptr, kBlocks * sizeof(Block), kReadWrite, kPrivateAnonymous, -1, 0);
    if (memory < 0) return;
    blocks = reinterpret_cast<Block*>(memory);
  }
  if (used > kBlocks / 2) return;
  const auto address = reinterpret_cast<uint64_t>(block);
  uint64_t at = slot_of(address);
  while (blocks[at].address > 1) at = (at + 1) & (kBlocks - 1);
  if (blocks[at].address == 0) ++used;
  blocks[at] = {.address = address, .number = number, .bytes = bytes};
}

/// Takes the block out of the table; number 0 when it is not there.
Block forget(void* block) {
  const auto address = reinterpret_cast<uint64_t>(block);
  if (!blocks || address < 2) return {};
  for (uint64_t at = slot_of(address); blocks[at].address != 0; at = (at + 1) & (kBlocks - 1)) {
    if (blocks[at].address != address) continue;
    const Block found = blocks[at];
    blocks[at].address = 1;
    return found;
  }
  return {};
}

void describe(format::HeapSite& site) {
  site.count = 0;
  for (const format::FrameRecord* frame = culprit_thread.frames; frame && site.count < format::kMostHeapFrames;
       frame = frame->caller) {
    site.statements[site.count++] = frame->statement;
  }
}

bool is_guarded(const HeapControl& heap) {
  return heap.alteration == HeapAlteration::kGuardEnd || heap.alteration == HeapAlteration::kGuardFreed;
}

/// A block on pages of its own that ends where they end, with a page behind it that may not be accessed.
void* guarded_block(HeapControl& heap, size_t bytes) {
  const uint64_t alignment = bytes == 0 ? 16 : (bytes & -bytes) < 16 ? bytes & -bytes : 16;
  const uint64_t room = (bytes + kPage - 1) / kPage * kPage;
  constexpr int kReadWrite = 3, kPrivateAnonymous = 0x22;
  const long memory = call(__NR_mmap, nullptr, room + kPage, kReadWrite, kPrivateAnonymous, -1, 0);
  if (memory < 0) return nullptr;
  const auto start = static_cast<uint64_t>(memory);
  call(__NR_mprotect, start + room, kPage, 0);
  heap.block_address = (start + room - bytes) & -alignment;
  heap.block_bytes = bytes;
  heap.guard_begin = start + room;
  heap.guard_end = start + room + kPage;
  return reinterpret_cast<void*>(heap.block_address);
}

void* allocate(HeapControl& heap, size_t bytes, size_t alignment, bool zero) {
  const Locked locked;
  const uint64_t number = ++heap.allocations;
  const bool subject = number == heap.last;
  if (subject) describe(heap.allocated);
  void* block = nullptr;
  if (subject && is_guarded(heap)) {
    block = guarded_block(heap, bytes);
  } else {
    size_t room = bytes;
    const bool more = heap.alteration == HeapAlteration::kMoreRoom && number <= heap.last;
    if (more && bytes + heap.room > bytes) room = bytes + heap.room;
    block = alignment > 16 ? __libc_memalign(alignment, room) : zero ? __libc_calloc(1, room) : __libc_malloc(room);
    if (block && zero && alignment > 16) __builtin_memset(block, 0, room);
    if (block && !zero && (heap.alteration == HeapAlteration::kFill || more)) {
      const bool first = more || number <= heap.last;
      // Added room reads as zero.
      if (more) {
        __builtin_memset(static_cast<char*>(block) + bytes, 0, room - bytes);
      } else {
        __builtin_memset(block, first ? heap.fill : heap.fill_after, bytes);
      }
    }
    if (subject) {
      heap.block_address = reinterpret_cast<uint64_t>(block);
      heap.block_bytes = bytes;
    }
  }
  if (block) remember(block, number, bytes);
  return block;
}

void stop_at_invalid_free() {
  if (current_experiment() || control->stop.reason != format::StopReason::kNone) return;
  describe_stop(control->stop, format::StopReason::kInvalidFree);
  stop_for_inspection();
}

/// True when the library is to give the block back.
bool release(HeapControl& heap, void* block) {
  const bool subject = block && is_guarded(heap) && reinterpret_cast<uint64_t>(block) == heap.block_address;
  if (subject && heap.freed.count != 0) {
    stop_at_invalid_free();
    return false;
  }
  const Locked locked;
  const Block found = forget(block);
  if (found.number != 0 && found.number == heap.last) describe(heap.freed);
  if (subject) {
    if (heap.alteration == HeapAlteration::kGuardFreed) {
      const uint64_t start = heap.block_address / kPage * kPage;
      call(__NR_mprotect, start, heap.guard_end - start, 0);
      heap.guard_begin = start;
    }
    return false;
  }
  if (heap.alteration == HeapAlteration::kFillFreed && found.number != 0) {
    __builtin_memset(block, found.number <= heap.last ? heap.fill : heap.fill_after, found.bytes);
    return false;
  }
  return !(heap.alteration == HeapAlteration::kKeepFreed && found.number != 0 && found.number <= heap.last);
}

using runtime::LibraryAction;

struct Time {
  int64_t seconds;
  int64_t parts;
};

/// The same times in every run: each question finds the clock a little later.
uint64_t session_time(uint64_t start) {
  constexpr uint64_t kStep = 1000;  // nanoseconds
  static uint64_t asked;
  return start + __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) * kStep;
}

}  // namespace
}  // namespace culprit::agent

using namespace culprit::agent;

/// Called by the agent when a session starts.
extern "C" void culprit_session_starts() {
  constexpr int kUnbuffered = 2;
  if (control->unbuffered && &setvbuf && &stdout) setvbuf(stdout, nullptr, kUnbuffered, 0);
}

CULPRIT_OVERRIDE void* malloc(size_t bytes) {
  HeapControl* heap = altered();
  return heap ? allocate(*heap, bytes, 0, false) : __libc_malloc(bytes);
}

CULPRIT_OVERRIDE void* calloc(size_t count, size_t bytes) {
  HeapControl* heap = altered();
  if (!heap) return __libc_calloc(count, bytes);
  size_t product = 0;
  return culprit::multiplies(count, bytes, product) ? allocate(*heap, product, 0, true) : nullptr;
}

CULPRIT_OVERRIDE void free(void* block) {
  HeapControl* heap = altered();
  if (!heap || (block && release(*heap, block))) __libc_free(block);
}

CULPRIT_OVERRIDE void* realloc(void* block, size_t bytes) {
  HeapControl* heap = altered();
  if (!heap) return __libc_realloc(block, bytes);
  if (!block) return allocate(*heap, bytes, 0, false);
  if (bytes == 0) {
    if (release(*heap, block)) __libc_free(block);
    return nullptr;
  }
  uint64_t had = 0;
  {
    const Locked locked;
    const Block found = forget(block);
    if (found.number == 0) {
      had = ~uint64_t{0};
    } else {
      had = found.bytes;
      remember(block, found.number, found.bytes);
    }
  }
  if (had == ~uint64_t{0}) return __libc_realloc(block, bytes);
  void* larger = allocate(*heap, bytes, 0, false);
  if (!larger) return nullptr;
  __builtin_memcpy(larger, block, had < bytes ? had : bytes);
  if (release(*heap, block)) __libc_free(block);
  return larger;
}

CULPRIT_OVERRIDE void* memalign(size_t alignment, size_t bytes) {
  HeapControl* heap = altered();
  return heap ? allocate(*heap, bytes, alignment, false) : __libc_memalign(alignment, bytes);
}

/// std::ios_base::sync_with_stdio. While streams are in step with stdio, they write through it, and hold nothing back.
CULPRIT_OVERRIDE bool _ZNSt8ios_base15sync_with_stdioEb(bool in_step) {
  void* const kNextLibrary = reinterpret_cast<void*>(-1);
  if (control && control->unbuffered) return true;
  auto* own =
      &dlsym ? reinterpret_cast<bool (*)(bool)>(dlsym(kNextLibrary, "_ZNSt8ios_base15sync_with_stdioEb")) : nullptr;
  return own ? own(in_step) : true;
}

extern "C" void* ssignal(int signal, void* handler) __attribute__((weak));
extern "C" int __sigaction(int signal, const LibraryAction* action, LibraryAction* old);

CULPRIT_OVERRIDE int sigaction(int signal, const LibraryAction* action, LibraryAction* old) {
  ProgramAction* own = program_action(signal);
  if (!own) return __sigaction(signal, action, old);
  if (old)
    *old = {.handler = own->handler, .mask = {own->mask}, .flags = static_cast<int>(own->flags), .restorer = nullptr};
  if (action) {
    *own = {.handler = action->handler,
            .flags = static_cast<uint64_t>(static_cast<uint32_t>(action->flags)),
            .mask = action->mask[0],
            .handed_over = false};
  }
  return 0;
}

CULPRIT_OVERRIDE void* signal(int signal, void* handler) {
  // The library's own under another name: what it asks of the system is in a recording.
  if (!program_action(signal) && &ssignal) return ssignal(signal, handler);
  constexpr int kRestart = 0x10000000;
  const LibraryAction action{.handler = handler, .mask = {}, .flags = kRestart, .restorer = nullptr};
  LibraryAction old{};
  return sigaction(signal, &action, &old) == 0 ? old.handler : reinterpret_cast<void*>(-1);
}

namespace {

/// The program's call and not the agent's: on a replay the loader answers it from the log. So each function makes the
/// call that the library's makes.
int as_it_is(long number, long one, long other) {
  const long error = culprit_agent_syscall(number, one, other, 0, 0, 0, 0);
  if (error >= 0) return 0;
  *__errno_location() = static_cast<int>(-error);
  return -1;
}

bool keeps_time() {
  return control && control->clock != 0;
}

}  // namespace

CULPRIT_OVERRIDE int clock_gettime(int clock, Time* time) {
  constexpr int kRealTime = 0, kMonotonic = 1, kRealTimeCoarse = 5, kMonotonicCoarse = 6, kBootTime = 7;
  constexpr uint64_t kSecond = 1'000'000'000, kSinceBoot = 1000 * kSecond;
  const bool real = clock == kRealTime || clock == kRealTimeCoarse;
  const bool since_boot = clock == kMonotonic || clock == kMonotonicCoarse || clock == kBootTime;
  if (!keeps_time() || (!real && !since_boot)) return as_it_is(__NR_clock_gettime, clock, word(time));
  const uint64_t now = session_time(real ? control->clock : kSinceBoot);
  *time = {.seconds = static_cast<int64_t>(now / kSecond), .parts = static_cast<int64_t>(now % kSecond)};
  return 0;
}

CULPRIT_OVERRIDE int gettimeofday(Time* time, void* zone) {
  if (!keeps_time()) return as_it_is(__NR_gettimeofday, word(time), word(zone));
  if (time && clock_gettime(0, time) == 0) time->parts /= 1000;
  return 0;
}

CULPRIT_OVERRIDE int64_t time(int64_t* seconds) {
  if (!keeps_time()) return culprit_agent_syscall(__NR_time, word(seconds), 0, 0, 0, 0, 0);
  Time now{};
  clock_gettime(0, &now);
  if (seconds) *seconds = now.seconds;
  return now.seconds;
}
