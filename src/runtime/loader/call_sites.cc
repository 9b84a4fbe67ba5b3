#include "runtime/loader/call_sites.h"

#include "runtime/loader/movable_code.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/threads.h"

extern "C" {
void rewritten_entry();
void save_state(void* to);
}

namespace culprit::loader {
namespace {

constexpr uint64_t kCallBytes = 2, kJumpBytes = 5;
constexpr uint64_t kTrampolineBytes = 64;
constexpr uint64_t kMostMoved = 16;
constexpr uint64_t kReach = (uint64_t{1} << 31) - (uint64_t{1} << 24);

/// Room for trampolines, each near code: of ld.so and libraries, of executables at kProgramBase, of those linked at a
/// low address.
struct Area {
  uint64_t low, bytes, used;
};
Area areas[] = {
    {kMapHigh, 1 << 20, 0},
    {kProgramBase - (1 << 20), 1 << 20, 0},
    {0x100000, 0xf0000, 0},
};

/// An open hash table by the address behind the call. Rewritten sites and, so that it is not tried again each time,
/// those that cannot be.
struct Site {
  uint64_t after_call;  ///< 0: free; 1: was taken
  uint64_t rest;        ///< in the trampoline; 0: left as it is
};
constexpr uint32_t kMostSites = 1 << 14;
Site sites[kMostSites];
uint32_t taken;

constexpr uint64_t kWasTaken = 1;

AddressSpace pages;  // that hold sites of the table

uint32_t slot_of(uint64_t address) {
  return static_cast<uint32_t>((address * 0x9e3779b97f4a7c15) >> 50);
}
static_assert(uint64_t{1} << (64 - 50) == kMostSites);

Site* find(uint64_t after_call) {
  for (uint32_t slot = slot_of(after_call);; slot = (slot + 1) % kMostSites) {
    if (sites[slot].after_call == after_call) return &sites[slot];
    if (sites[slot].after_call == 0) return nullptr;
  }
}

void remember(uint64_t after_call, uint64_t rest) {
  uint32_t slot = slot_of(after_call);
  while (sites[slot].after_call > kWasTaken) slot = (slot + 1) % kMostSites;
  if (sites[slot].after_call == 0) ++taken;
  sites[slot] = {after_call, rest};
  pages.add(page_down(after_call - kCallBytes), page_up(after_call + kMostMoved));
}

uint64_t distance(uint64_t one, uint64_t other) {
  return one > other ? one - other : other - one;
}

/// A place for one trampoline near `site`, or 0.
uint64_t take_room(uint64_t site) {
  for (Area& area : areas) {
    if (distance(area.low, site) > kReach) continue;
    if (area.used == 0) {
      if (!runtime.space.is_free(area.low, area.low + area.bytes)) continue;
      const long mapped = raw(__NR_mmap, area.low, area.bytes, PROT_READ | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, ~uint64_t{0}, 0);
      if (failed(mapped)) return 0;
      const auto entry = word(reinterpret_cast<void*>(&rewritten_entry));
      raw(__NR_mprotect, area.low, kPage, PROT_READ | PROT_WRITE);
      __builtin_memcpy(reinterpret_cast<void*>(area.low), &entry, sizeof entry);
      raw(__NR_mprotect, area.low, kPage, PROT_READ | PROT_EXEC);
      area.used = kTrampolineBytes;
    }
    if (area.used + kTrampolineBytes > area.bytes) return 0;
    const uint64_t room = area.low + area.used;
    area.used += kTrampolineBytes;
    return room;
  }
  return 0;
}

/// Machine code put together.
class Code {
 public:
  explicit Code(uint64_t address) : address_(address) {}
  void bytes(const void* from, size_t count) {
    __builtin_memcpy(code_ + size_, from, count);
    size_ += count;
  }
  /// An instruction whose last four bytes are the distance from its end to `target`.
  template <size_t kCount>
  void relative(const uint8_t (&operation)[kCount], uint64_t target) {
    bytes(operation, kCount);
    const auto offset = static_cast<uint32_t>(target - (address_ + size_ + 4));
    bytes(&offset, sizeof offset);
  }
  uint64_t here() const { return address_ + size_; }
  const uint8_t* text() const { return code_; }
  size_t size() const { return size_; }

 private:
  uint64_t address_;
  uint8_t code_[kTrampolineBytes];
  size_t size_ = 0;
};

constexpr uint8_t kLoadRcx[] = {0x48, 0x8d, 0x0d}, kLoadR11[] = {0x4c, 0x8d, 0x1d}, kJumpThrough[] = {0xff, 0x25},
                  kJump[] = {0xe9};
constexpr uint64_t kLoadBytes = 7, kJumpThroughBytes = 6;

/// Writes the trampoline at `room`; where its rest starts.
uint64_t write_trampoline(uint64_t room, uint64_t site, const uint8_t* moved, size_t moved_bytes) {
  uint64_t area = room;
  for (const Area& each : areas) area = room >= each.low && room < each.low + each.bytes ? each.low : area;
  Code code(room);
  const uint64_t rest = room + 2 * kLoadBytes + kJumpThroughBytes;
  code.relative(kLoadRcx, site + kCallBytes);
  code.relative(kLoadR11, rest);
  code.relative(kJumpThrough, area);
  code.bytes(moved, moved_bytes);
  code.relative(kJump, site + kCallBytes + moved_bytes);
  const uint64_t page = page_down(room);
  raw(__NR_mprotect, page, kPage, PROT_READ | PROT_WRITE);
  __builtin_memcpy(reinterpret_cast<void*>(room), code.text(), code.size());
  raw(__NR_mprotect, page, kPage, PROT_READ | PROT_EXEC);
  return rest;
}

/// Tries to rewrite; where a thread goes on that is behind the call, or 0. `memory` is /proc/self/mem, which reads
/// without faults and writes where the program may only read.
uint64_t rewrite(int memory, uint64_t after_call) {
  const uint64_t site = after_call - kCallBytes;
  constexpr uint64_t kAround = 4096;
  static uint8_t around[2 * kAround];
  const uint64_t start = site - kAround;
  long got = raw(__NR_pread64, memory, word(around), sizeof around, start);
  uint64_t from = start;
  if (got <= 0 || start + static_cast<uint64_t>(got) < after_call + kMostMoved) {
    from = page_down(site);  // less can be read
    got = raw(__NR_pread64, memory, word(around), sizeof around, from);
  }
  if (got <= 0 || from + static_cast<uint64_t>(got) < after_call + kMostMoved) return 0;
  const uint8_t* code = around + (site - from);
  if (code[0] != 0x0f || code[1] != 0x05) return 0;
  const size_t moved = movable_bytes(code + kCallBytes, kMostMoved, kJumpBytes - kCallBytes);
  if (moved == 0) return 0;
  if (jumps_between(around, static_cast<size_t>(got), from, site, after_call + moved)) return 0;
  const uint64_t room = take_room(site);
  if (room == 0) return 0;
  const uint64_t rest = write_trampoline(room, site, code + kCallBytes, moved);
  Code jump(site);
  jump.relative(kJump, room);
  return raw(__NR_pwrite64, memory, word(jump.text()), jump.size(), site) == static_cast<long>(jump.size()) ? rest : 0;
}

// The parts of the kernel's frames that are the same in all of them.
constexpr uint64_t kReservedOffset = 464, kReservedBytes = 48, kHeaderEnd = 512 + 64;
constexpr uint32_t kStateEnd = 0x46505845;       // FP_XSTATE_MAGIC2, the last word of the state
constexpr uint32_t kTrapsBeforeRewriting = 100;  // of an altered run
bool frame_known;
uint64_t frame_flags;
uint16_t frame_cs, frame_ss;
uint64_t frame_state_bytes;
unsigned char frame_reserved[kReservedBytes];
uint64_t mask_while_replaying;

void learn_frame(const Context& context) {
  frame_state_bytes = state_bytes(context.fpstate);
  frame_flags = context.flags;
  frame_cs = context.cs;
  frame_ss = context.ss;
  __builtin_memcpy(frame_reserved, reinterpret_cast<const void*>(context.fpstate + kReservedOffset), kReservedBytes);
  mask_while_replaying = context.mask;
  frame_known = true;
}

}  // namespace

void rewrite_call_site(uint64_t after_call, const Context& context) {
  if (!frame_known) learn_frame(context);
  // Without XSAVE there is nothing here that could save the state.
  if (frame_state_bytes < kHeaderEnd || frame_state_bytes > kStateRoom) return;
  if (find(after_call) != nullptr || taken > kMostSites / 2) return;
  // Most altered runs are short, and to rewrite a site takes as long as some ten traps.
  static uint32_t altered_traps;
  if (runtime.altered && ++altered_traps < kTrapsBeforeRewriting) return;
  const long memory = raw(__NR_openat, AT_FDCWD, word("/proc/self/mem"), O_RDWR | O_CLOEXEC, 0);
  if (failed(memory)) return;
  remember(after_call, rewrite(static_cast<int>(memory), after_call));
  raw(__NR_close, memory);
}

uint64_t place_to_go_on(uint64_t address) {
  const Site* site = find(address);
  return site == nullptr || site->rest == 0 ? address : site->rest;
}

void forget_call_sites(uint64_t low, uint64_t high) {
  if (pages.is_free(low, high)) return;
  for (Site& site : sites) {
    if (site.after_call > low && site.after_call - kCallBytes < high) site = {kWasTaken, 0};
  }
  pages.remove(page_down(low), page_up(high));
}

void forget_all_call_sites() {
  for (Area& area : areas) {
    if (area.used != 0) raw(__NR_munmap, area.low, area.bytes);
    area.used = 0;
  }
  __builtin_memset(sites, 0, sizeof sites);
  taken = 0;
  pages.clear();
}

bool calls_are_rewritten() {
  return taken != 0;
}

bool is_for_trampolines(uint64_t low, uint64_t high) {
  for (const Area& area : areas) {
    if (low < area.low + area.bytes && high > area.low) return true;
  }
  return false;
}

void complete_context(Context& context) {
  if (context.fpstate != 0) return;
  const Thread& thread = current_thread();
  const uint64_t state = (word(&context) + sizeof(Context) + 63) & ~uint64_t{63};
  __builtin_memset(reinterpret_cast<void*>(state), 0, frame_state_bytes);
  save_state(reinterpret_cast<void*>(state));
  __builtin_memcpy(reinterpret_cast<void*>(state + kReservedOffset), frame_reserved, kReservedBytes);
  // Without it the kernel restores the legacy part only.
  __builtin_memcpy(reinterpret_cast<void*>(state + frame_state_bytes - sizeof kStateEnd), &kStateEnd, sizeof kStateEnd);
  context.flags = frame_flags;
  context.link = 0;
  context.stack = runtime_stack(thread);
  context.cs = frame_cs;
  context.gs = context.fs = 0;
  context.ss = frame_ss;
  context.err = context.trapno = context.oldmask = context.cr2 = 0;
  __builtin_memset(context.reserved, 0, sizeof context.reserved);
  if (runtime.mode == Mode::kReplay) context.mask = mask_while_replaying;
  context.fpstate = state;
}

}  // namespace culprit::loader
