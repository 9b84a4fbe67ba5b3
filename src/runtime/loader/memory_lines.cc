#include "runtime/loader/memory_lines.h"

#include "format/crc32c.h"
#include "runtime/loader/kernel.h"

namespace culprit::loader {
namespace {

using format::kLineBytes;
using format::kPageBytes;
using format::PageLines;

constexpr uint32_t kMostPages = 1 << 17;  // of 512 MiB, which take 5 MiB of the log

PageLines lines_of(uint64_t address, const void* page) {
  PageLines found = {address, {}};
  const auto* at = static_cast<const unsigned char*>(page);
  for (uint8_t& line : found.lines) {
    line = static_cast<uint8_t>(format::crc32c(0, at, kLineBytes));
    at += kLineBytes;
  }
  return found;
}

}  // namespace

void LineTable::add(uint64_t address, const void* page) {
  if (!complete_) return;
  if (entries_ == nullptr) {
    const long mapped = raw(__NR_mmap, 0, kMostPages * sizeof(PageLines), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~uint64_t{0}, 0);
    complete_ = !failed(mapped);
    if (!complete_) return;
    entries_ = reinterpret_cast<PageLines*>(mapped);
  }
  if (count_ < kMostPages) {
    entries_[count_++] = lines_of(address, page);
  } else {
    complete_ = false;
    count_ = 0;
  }
}

void compare_lines(const LineTable& here, const PageLines* recorded, uint32_t recorded_count, uint64_t heap_low,
                   uint64_t heap_high, MemoryComparison& comparison) {
  if (here.count() == 0 || recorded_count == 0) return;
  static constexpr unsigned char kZeros[kPageBytes] = {};
  const PageLines zeros = lines_of(0, kZeros);
  const PageLines* one = here.entries();
  const PageLines* const one_end = one + here.count();
  const PageLines* const recorded_end = recorded + recorded_count;
  while (one < one_end || recorded < recorded_end) {
    uint64_t page = one < one_end ? one->page : recorded->page;
    if (recorded < recorded_end && recorded->page < page) page = recorded->page;
    const PageLines& left = one < one_end && one->page == page ? *one++ : zeros;
    const PageLines& right = recorded < recorded_end && recorded->page == page ? *recorded++ : zeros;
    MemoryDifference& found = page >= heap_low && page < heap_high ? comparison.heap : comparison.where;
    for (uint32_t line = 0; line < kPageBytes / kLineBytes; ++line) {
      if (left.lines[line] == right.lines[line]) continue;
      if (found.lines++ == 0) found.first = page + line * kLineBytes;
    }
  }
}

}  // namespace culprit::loader
