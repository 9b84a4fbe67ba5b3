// What lies at an address of a recorded program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "recording/event_stream.h"

namespace culprit::recording {

/// An executable or library that was mapped.
struct Image {
  uint32_t file = 0;  ///< index of the copy
  std::string path;   ///< of what was copied
  uint64_t base = 0;  ///< address of its first byte
};

struct MemoryPlace {
  std::string text;            ///< "the heap", "/usr/lib/libc.so.6", "memory mapped at 0x7cff00000000", …
  std::optional<Image> image;  ///< of which it is a variable
};

/// At the recording's end.
MemoryPlace memory_place(const EventStream& stream, uint64_t address);

}  // namespace culprit::recording
