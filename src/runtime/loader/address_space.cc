#include "runtime/loader/address_space.h"

namespace culprit::loader {

size_t AddressSpace::first_ending_after(uint64_t address) const {
  size_t low = 0, high = count_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (ranges_[middle].high > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void AddressSpace::replace(size_t from, size_t until, const Range* with, size_t count) {
  const size_t tail = count_ - until;
  __builtin_memmove(&ranges_[from + count], &ranges_[until], tail * sizeof(Range));
  for (size_t each = 0; each < count; ++each) ranges_[from + each] = with[each];
  count_ = from + count + tail;
}

bool AddressSpace::add(uint64_t low, uint64_t high) {
  if (low >= high) return true;
  if (count_ == kMostRanges) return false;
  // Ranges that overlap or touch [low, high) become one with it.
  const size_t from = first_ending_after(low == 0 ? 0 : low - 1);
  size_t until = from;
  Range merged = {low, high};
  while (until < count_ && ranges_[until].low <= high) {
    if (ranges_[until].low < merged.low) merged.low = ranges_[until].low;
    if (ranges_[until].high > merged.high) merged.high = ranges_[until].high;
    ++until;
  }
  replace(from, until, &merged, 1);
  return true;
}

bool AddressSpace::remove(uint64_t low, uint64_t high) {
  if (low >= high) return true;
  if (count_ == kMostRanges) return false;
  const size_t from = first_ending_after(low);
  size_t until = from;
  Range rest[2];
  size_t left = 0;
  while (until < count_ && ranges_[until].low < high) {
    if (ranges_[until].low < low) rest[left++] = {ranges_[until].low, low};
    if (ranges_[until].high > high) rest[left++] = {high, ranges_[until].high};
    ++until;
  }
  replace(from, until, rest, left);
  return true;
}

bool AddressSpace::is_free(uint64_t low, uint64_t high) const {
  const size_t index = first_ending_after(low);
  return index == count_ || ranges_[index].low >= high;
}

bool AddressSpace::covers(uint64_t low, uint64_t high) const {
  const size_t index = first_ending_after(low);
  return index < count_ && ranges_[index].low <= low && ranges_[index].high >= high;
}

uint64_t AddressSpace::highest_free(uint64_t low, uint64_t high, uint64_t bytes) const {
  if (bytes == 0 || bytes > high - low) return 0;
  uint64_t top = high;
  for (size_t index = first_ending_after(high - 1);; --index) {
    if (index < count_ && ranges_[index].low < high) {
      const uint64_t gap = ranges_[index].high > low ? ranges_[index].high : low;
      if (gap < top && top - gap >= bytes) return top - bytes;
      if (ranges_[index].high <= low) return 0;
      top = ranges_[index].low;
    }
    if (index == 0 || top <= low) break;
  }
  return top > low && top - low >= bytes ? top - bytes : 0;
}

}  // namespace culprit::loader
