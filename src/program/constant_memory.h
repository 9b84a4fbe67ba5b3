// What a program's file says of its memory: segments that the program cannot write, such as texts and printf formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/file.h"

namespace culprit::program {

class ConstantMemory {
 public:
  /// `image`: where the file's first byte, its ELF header, lay in the process. Throws UserError when the file cannot be
  /// read, CorruptData when it is no 64-bit little-endian ELF file.
  ConstantMemory(const std::filesystem::path& program, uint64_t image);

  /// False when the range is not in one constant segment.
  bool read(uint64_t address, std::span<std::byte> into) const;

 private:
  struct Segment {
    uint64_t address;
    std::span<const std::byte> bytes;
  };
  MappedFile file_;
  std::vector<Segment> segments_;
};

}  // namespace culprit::program
