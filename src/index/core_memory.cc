#include "index/core_memory.h"

#include <gelf.h>

#include <cstring>

namespace culprit {

CoreMemory::CoreMemory(Elf* core) {
  file_ = elf_rawfile(core, &file_bytes_);
  size_t count = 0;
  if (elf_getphdrnum(core, &count) != 0) return;
  for (size_t each = 0; each < count; ++each) {
    GElf_Phdr header;
    if (!gelf_getphdr(core, static_cast<int>(each), &header) || header.p_type != PT_LOAD) continue;
    segments_.push_back({header.p_vaddr, header.p_filesz, header.p_offset});
  }
}

std::optional<uint64_t> CoreMemory::read(uint64_t address, size_t bytes) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address >= segment.bytes) continue;
    const uint64_t within = address - segment.address;
    if (bytes > sizeof(uint64_t) || segment.bytes - within < bytes || segment.offset + within + bytes > file_bytes_)
      return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, file_ + segment.offset + within, bytes);
    return value;
  }
  return std::nullopt;
}

}  // namespace culprit
