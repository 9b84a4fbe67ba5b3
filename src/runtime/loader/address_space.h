// The program's mapped ranges, so that the place of every mapping is decided here and is the same in every run.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace culprit::loader {

/// Sorted, disjoint, not touching ranges [low, high). Plain memory, no allocation: copies with the process.
class AddressSpace {
 public:
  static constexpr size_t kMostRanges = 65536;  ///< the kernel's own limit is 65530 mappings

  /// False when there are too many separate ranges; nothing is changed then.
  bool add(uint64_t low, uint64_t high);
  bool remove(uint64_t low, uint64_t high);
  bool is_free(uint64_t low, uint64_t high) const;
  bool covers(uint64_t low, uint64_t high) const;

  /// The highest free place for `bytes` inside [low, high), or 0.
  uint64_t highest_free(uint64_t low, uint64_t high, uint64_t bytes) const;

  size_t size() const { return count_; }
  uint64_t low(size_t index) const { return ranges_[index].low; }
  uint64_t high(size_t index) const { return ranges_[index].high; }
  void clear() { count_ = 0; }

 private:
  struct Range {
    uint64_t low, high;
  };
  /// Index of the first range that ends after `address`.
  size_t first_ending_after(uint64_t address) const;
  void replace(size_t from, size_t until, const Range* with, size_t count);

  size_t count_ = 0;
  Range ranges_[kMostRanges];
};

}  // namespace culprit::loader
