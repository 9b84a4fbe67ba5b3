// A thread's stack is reserved whole and takes memory as it is used; its region belongs to the thread's slot of user
// stacks and is used again by the next thread there.
#include "runtime/index/points.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/index/thread_start.h"
#include "runtime/raw_syscall.h"
#include "runtime/text.h"

extern "C"
    __attribute__((visibility("hidden"))) constinit thread_local culprit::format::ThreadPoints culprit_points = {};

namespace culprit::runtime {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMainStackBytes = uint64_t{1} << 34;
constexpr uint64_t kStackBytes = uint64_t{1} << 30;
constexpr uint64_t kMainRowBytes = uint64_t{1} << 36;
constexpr uint64_t kRowBytes = uint64_t{1} << 32;
constexpr uint32_t kMostSlots = 4096;

struct Region {
  char* stack;
  uint64_t stack_bytes;
  char* rows;
  uint64_t row_bytes;
};
Region regions[kMostSlots];

/// The least of `bytes`, its half, its quarter … that can be had.
char* reserve(uint64_t& bytes) {
  for (; bytes >= kPage; bytes /= 2) {
    const long at = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at > 0) return reinterpret_cast<char*>(at);
  }
  Text message;
  message.add("culprit: no memory for execution-point ids\n");
  message.print();
  __builtin_trap();
}

void clear(char* memory, uint64_t bytes) {
  if (memory) raw_syscall(SYS_madvise, as_argument(memory), static_cast<long>(bytes), MADV_DONTNEED);
}

/// Bytes from the start up to the last page that holds something, when such pages follow each other.
uint64_t touched_bytes(const char* memory, uint64_t bytes, bool in_one_piece) {
  constexpr uint64_t kChunk = 1024;
  static unsigned char resident[kChunk];
  uint64_t touched = 0;
  for (uint64_t page = 0; page < bytes / kPage; page += kChunk) {
    const uint64_t pages = page + kChunk < bytes / kPage ? kChunk : bytes / kPage - page;
    if (raw_syscall(SYS_mincore, as_argument(memory + page * kPage), static_cast<long>(pages * kPage),
                    as_argument(resident)) != 0)
      break;
    uint64_t found = 0;
    for (uint64_t each = 0; each < pages; ++each) found += resident[each] & 1;
    touched += found * kPage;
    if (found == 0 && in_one_piece) break;
  }
  if (!in_one_piece) return touched;
  // Not more than was written.
  while (touched >= sizeof(uint64_t)) {
    uint64_t word;
    __builtin_memcpy(&word, memory + touched - sizeof word, sizeof word);
    if (word != 0) break;
    touched -= sizeof word;
  }
  return touched;
}

}  // namespace

void attach_points(format::ThreadState& thread) {
  if (!&culprit_point_plan) return;
  const uint32_t slot = thread.stack_slot == 0 ? 0 : (thread.stack_slot - 1) % kMostSlots;
  Region& region = regions[slot];
  const bool first_thread = slot == 0;
  if (region.stack) {
    clear(region.stack, region.stack_bytes);
    clear(region.rows, region.row_bytes);
  } else {
    region.stack_bytes = first_thread ? kMainStackBytes : kStackBytes;
    region.stack = reserve(region.stack_bytes);
    if (culprit_point_plan.row_bytes != 0) {
      region.row_bytes = first_thread ? kMainRowBytes : kRowBytes;
      region.rows = reserve(region.row_bytes);
    }
  }
  format::ThreadPoints& points = culprit_points;
  // kContext reads the last number left on the stack, also where none was left.
  constexpr size_t kNothingLeft = 2 * sizeof(uint64_t);
  points.base = region.stack + kNothingLeft;
  // A thread begins where it was created, so that its ids compare across executions.
  points.top = points.base + begin_thread_id(points.base, region.stack_bytes / 2);
  __builtin_memcpy(&points.number, points.top - kNothingLeft, sizeof points.number);
  const uint64_t row_bytes = culprit_point_plan.row_bytes;
  points.rows = region.rows - static_cast<uint64_t>(points.top - points.base) * (row_bytes / format::kLightweightBytes);
}

const format::PointSite* find_point_site(uint32_t site) {
  uint64_t low = 0, high = culprit_point_plan.site_count;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    const format::PointSite& at = culprit_point_plan.sites[middle];
    if (at.site == site) return &at;
    if (at.site < site) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return nullptr;
}

uint64_t most_point_bytes() {
  uint64_t most = 0;
  for (const Region& region : regions) {
    if (!region.stack) continue;
    const uint64_t stack = touched_bytes(region.stack, region.stack_bytes, true);
    uint64_t rows = 0;
    if (region.rows) {
      const uint64_t depths = stack / format::kLightweightBytes + 1;
      const uint64_t used = depths * culprit_point_plan.row_bytes;
      rows = touched_bytes(region.rows, used < region.row_bytes ? used : region.row_bytes, false);
    }
    if (stack + rows > most) most = stack + rows;
  }
  return most;
}

}  // namespace culprit::runtime
