#include "runtime/loader/memory_hash.h"

#include "format/crc32c.h"
#include "format/runtime_abi.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/points.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

// Bits of /proc/self/pagemap.
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kFileOrShared = uint64_t{1} << 61;

bool all_zero(const uint64_t* words) {
  uint64_t any = 0;
  for (uint64_t each = 0; each < kPage / 8; ++each) any |= words[each];
  return any == 0;
}

/// One range of /proc/self/maps that can be read and written.
uint32_t hash_range(uint32_t hash, LineTable* table, int pagemap, uint64_t low, uint64_t high) {
  static uint64_t entries[512];
  for (uint64_t page = low; page < high;) {
    uint64_t count = (high - page) / kPage;
    if (count > 512) count = 512;
    const long got = raw(__NR_pread64, pagemap, word(entries), count * 8, page / kPage * 8);
    if (got <= 0) return hash;
    const uint64_t here = static_cast<uint64_t>(got) / 8;
    for (uint64_t each = 0; each < here; ++each, page += kPage) {
      if (!(entries[each] & (kPresent | kSwapped)) || (entries[each] & kFileOrShared)) continue;
      if (all_zero(reinterpret_cast<const uint64_t*>(page))) continue;
      hash = format::crc32c(hash, &page, sizeof page);
      hash = format::crc32c(hash, reinterpret_cast<const void*>(page), kPage);
      if (table != nullptr) table->add(page, reinterpret_cast<const void*>(page));
    }
  }
  return hash;
}

/// Reads /proc/self/maps line by line.
class MapLines {
 public:
  explicit MapLines(int fd) : fd_(fd) {}
  bool next(uint64_t& low, uint64_t& high, bool& writable) {
    int character = get();
    if (character < 0) return false;
    low = high = 0;
    uint64_t* number = &low;
    for (; character >= 0 && character != ' '; character = get()) {
      if (character == '-') {
        number = &high;
      } else {
        *number = *number * 16 + static_cast<uint64_t>(character <= '9' ? character - '0' : character - 'a' + 10);
      }
    }
    const bool reads = get() == 'r';
    writable = get() == 'w' && reads;
    while (character >= 0 && character != '\n') character = get();
    return true;
  }

 private:
  int get() {
    if (at_ == filled_) {
      const long got = raw(__NR_read, fd_, word(buffer_), sizeof buffer_);
      if (got <= 0) return -1;
      at_ = 0;
      filled_ = static_cast<size_t>(got);
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }
  int fd_;
  size_t at_ = 0, filled_ = 0;
  char buffer_[4096];
};

constexpr uint64_t kThreadLocalReach = 2 * kPage;  // of the thread's own variables and libc's description of it
constexpr uint64_t kCodeLimit = 0x10000000;        // of the executable, from its base on (src/build/link_layout.cc)

/// The heap has only lines: what the C library leaves uninitialised there differs between plans.
enum class Region { kVariables, kHeap, kUserStack };

/// The words of memory that mean the same in all plans.
class SharedHash {
 public:
  explicit SharedHash(LineTable& table) : table_(table) {
    uint64_t fs = 0;
    raw(__NR_arch_prctl, ARCH_GET_FS, word(&fs));
    thread_ = fs;
    // glibc's pointer guard, which setjmp applies to what it stores.
    guard_ = fs != 0 && runtime.space.covers(fs, fs + 0x38) ? *reinterpret_cast<const uint64_t*>(fs + 0x30) : 0;
  }
  /// A page of [low, high), which can be read; words below `low` do not count.
  void page(uint64_t address, uint64_t low, uint64_t high, Region region) {
    const auto* words = reinterpret_cast<const uint64_t*>(address);
    uint64_t shared[kPage / 8];
    for (uint64_t each = 0; each < kPage / 8; ++each) {
      shared[each] = address + each * 8 < low ? 0 : shared_word(words[each]);
    }
    leave_out_jump_buffers(address, low, high, shared);
    uint64_t any = 0;
    for (const uint64_t each : shared) any |= each;
    if (any == 0) return;
    table_.add(address, shared);
    if (region == Region::kHeap) return;
    hash_ = format::crc32c(hash_, &address, sizeof address);
    hash_ = format::crc32c(hash_, shared, sizeof shared);
  }
  /// Whether the page holds the thread's own variables, or a stack for signal handlers, which is a machine stack.
  bool is_left_out(uint64_t page) const {
    const AlternateStack& stack = current_thread().alternate_stack;
    return (page + kThreadLocalReach > thread_ && page < thread_ + kThreadLocalReach) ||
           (page + kPage > stack.base && page < stack.base + stack.bytes);
  }
  uint32_t value() const { return hash_; }

 private:
  uint64_t unguarded(uint64_t value) const { return (value >> 17 | value << 47) ^ guard_; }
  uint64_t shared_word(uint64_t value) const {
    return is_plans_own(value) || is_plans_own(unguarded(value)) ? 0 : value;
  }
  /// setjmp also stores registers as they are: six words before guarded stack pointer and place in the code.
  void leave_out_jump_buffers(uint64_t page, uint64_t low, uint64_t high, uint64_t* shared) const {
    constexpr uint64_t kBefore = 6 * 8, kAfter = 2 * 8;
    const uint64_t from = page < low + kAfter ? low : page - kAfter + 8;
    const uint64_t until = high - page < kPage + kBefore + kAfter ? high - kAfter : page + kPage + kBefore;
    for (uint64_t at = from; at <= until; at += 8) {
      const auto* words = reinterpret_cast<const uint64_t*>(at);
      if (!is_plans_own(unguarded(words[0])) || !is_plans_own(unguarded(words[1]))) continue;
      for (uint64_t each = at - kBefore; each < at + kAfter; each += 8) {
        if (each >= page && each < page + kPage) shared[(each - page) / 8] = 0;
      }
    }
  }
  LineTable& table_;
  uint64_t thread_ = 0, guard_ = 0;
  uint32_t hash_ = 0;
};

// Of the search for a thread whose user stack a range is.
uint64_t ranges_low, ranges_high, live_from;

void hash_shared_range(SharedHash& hash, int pagemap, uint64_t low, uint64_t high, Region region) {
  static uint64_t entries[512];
  for (uint64_t page = page_down(low); page < high;) {
    uint64_t count = (high - page) / kPage;
    if (count > 512) count = 512;
    const long got = raw(__NR_pread64, pagemap, word(entries), count * 8, page / kPage * 8);
    if (got <= 0) return;
    for (uint64_t each = 0; each < static_cast<uint64_t>(got) / 8; ++each, page += kPage) {
      // Variables may be as the file has them.
      if (region == Region::kVariables || (entries[each] & (kPresent | kSwapped))) {
        if (!hash.is_left_out(page)) hash.page(page, low, high, region);
      }
    }
  }
}

uint32_t hash_shared_memory(LineTable& table) {
  if (runtime.mode == Mode::kPass || current_thread().tick_state == 0) return 0;
  const long pagemap = raw(__NR_openat, AT_FDCWD, word("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC, 0);
  if (failed(pagemap)) return 0;
  SharedHash hash(table);
  const auto add = [&](uint64_t low, uint64_t high, Region region) {
    hash_shared_range(hash, static_cast<int>(pagemap), low, high, region);
  };
  add(runtime.variables_low, page_up(runtime.variables_high), Region::kVariables);
  add(runtime.break_start, page_up(runtime.break_now), Region::kHeap);
  // Below the stack pointers are remains, partly of machine words.
  for (size_t each = 0; each < runtime.space.size(); ++each) {
    ranges_low = runtime.space.low(each);
    ranges_high = runtime.space.high(each);
    live_from = 0;
    for_each_thread([](Thread& thread) {
      if (thread.tick_state == 0) return;
      const uint64_t pointer = word(reinterpret_cast<const format::ThreadState*>(thread.tick_state)->user_sp);
      if (pointer >= ranges_low && pointer < ranges_high) live_from = pointer & ~uint64_t{7};
    });
    if (live_from != 0) add(live_from, ranges_high, Region::kUserStack);
  }
  raw(__NR_close, pagemap);
  return hash.value() == 0 ? 1 : hash.value();
}

uint32_t hash_program_memory(LineTable* table) {
  if (runtime.mode == Mode::kPass) return 0;
  const long maps = raw(__NR_openat, AT_FDCWD, word("/proc/self/maps"), O_RDONLY | O_CLOEXEC, 0);
  const long pagemap = raw(__NR_openat, AT_FDCWD, word("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC, 0);
  uint32_t hash = 0;
  const bool readable = !failed(maps) && !failed(pagemap);
  if (readable) {
    MapLines lines(static_cast<int>(maps));
    uint64_t low, high;
    bool writable;
    while (lines.next(low, high, writable)) {
      const bool own = high > kRuntimeLow && low < kRuntimeHigh;
      if (writable && !own && high <= kProgramHigh)
        hash = hash_range(hash, table, static_cast<int>(pagemap), low, high);
    }
  }
  if (!failed(maps)) raw(__NR_close, maps);
  if (!failed(pagemap)) raw(__NR_close, pagemap);
  return readable && hash == 0 ? 1 : hash;
}

PartSource lines_part(const LineTable& table, format::PartKind kind) {
  return {0, table.entries(), table.count() * static_cast<uint32_t>(sizeof(format::PageLines)), kind};
}

PartView part_of(const format::Event& event, format::PartKind kind) {
  PartView view(event);
  while (view.valid() && view.kind() != kind) view.next();
  return view;
}

}  // namespace

bool is_plans_own(uint64_t value) {
  if (value < kStackTop && value >= kStackTop - kDeepStackBytesMost) return true;
  return value < runtime.variables_low && value + kCodeLimit >= runtime.variables_low;
}

uint32_t hash_of_program() {
  return hash_program_memory(nullptr);
}

FinalMemory::FinalMemory()
    : all_(runtime.other_plan || session_control() != nullptr ? 0 : hash_program_memory(&lines_)),
      shared_(session_control() != nullptr ? 0 : hash_shared_memory(shared_lines_)),
      parts_{{0, &shared_, sizeof shared_, format::PartKind::kSharedMemory},
             lines_part(lines_, format::PartKind::kMemoryLines),
             lines_part(shared_lines_, format::PartKind::kSharedLines)} {}

MemoryComparison FinalMemory::compare(const format::Event& recorded) const {
  const auto add_lines = [&](const LineTable& table, format::PartKind kind, MemoryComparison& comparison) {
    const PartView part = part_of(recorded, kind);
    if (!part.valid()) return;
    const bool two_plans = kind == format::PartKind::kSharedLines;
    compare_lines(table, reinterpret_cast<const format::PageLines*>(part.bytes()),
                  part.size() / sizeof(format::PageLines), two_plans ? runtime.break_start : 0,
                  two_plans ? page_up(runtime.break_now) : 0, comparison);
  };
  MemoryComparison comparison;
  if (!runtime.other_plan) {
    comparison.differs = all_ != 0 && recorded.check != 0 && all_ != recorded.check;
    if (comparison.differs) add_lines(lines_, format::PartKind::kMemoryLines, comparison);
    return comparison;
  }
  const PartView part = part_of(recorded, format::PartKind::kSharedMemory);
  if (!part.valid() || part.size() != sizeof shared_) return comparison;
  const uint32_t was = *reinterpret_cast<const uint32_t*>(part.bytes());
  comparison.differs = shared_ != 0 && was != 0 && shared_ != was;
  add_lines(shared_lines_, format::PartKind::kSharedLines, comparison);
  return comparison;
}

}  // namespace culprit::loader
