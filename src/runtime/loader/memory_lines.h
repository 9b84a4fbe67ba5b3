// What of the program's memory a hash was computed over, line by line, to say where two runs differ.
#pragma once

#include "format/recording_format.h"

namespace culprit::loader {

/// In memory that the program cannot have. Pages come in ascending order; those that are missing count as zeros.
class LineTable {
 public:
  /// `page` holds the contents of the page at `address`.
  void add(uint64_t address, const void* page);

  /// Empty when there were too many pages.
  const format::PageLines* entries() const { return entries_; }
  uint32_t count() const { return count_; }

 private:
  format::PageLines* entries_ = nullptr;
  uint32_t count_ = 0;
  bool complete_ = true;
};

struct MemoryDifference {
  uint64_t lines = 0;  ///< how many differ
  uint64_t first = 0;  ///< address of the first of them
};

/// Of two final memories.
struct MemoryComparison {
  bool differs = false;
  MemoryDifference where;  ///< zeros when that is not known
  /// Between two plans only, where it proves nothing: library code copies unused bytes of its machine stack there.
  MemoryDifference heap;
};

/// Fills in where two tables differ; the heap is what lies in [heap_low, heap_high). Nothing when one of them is empty.
void compare_lines(const LineTable& here, const format::PageLines* recorded, uint32_t recorded_count, uint64_t heap_low,
                   uint64_t heap_high, MemoryComparison& comparison);

}  // namespace culprit::loader
