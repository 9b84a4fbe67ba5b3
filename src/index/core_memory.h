// The memory that a core file holds.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace culprit {

class CoreMemory {
 public:
  /// `core` must outlive this.
  explicit CoreMemory(Elf* core);

  /// `bytes` (at most 8) in the machine's order; nothing where the core has no memory.
  std::optional<uint64_t> read(uint64_t address, size_t bytes) const;

 private:
  struct Segment {
    uint64_t address;
    uint64_t bytes;  ///< in the file
    uint64_t offset;
  };
  std::vector<Segment> segments_;
  const char* file_ = nullptr;
  size_t file_bytes_ = 0;
};

}  // namespace culprit
