#include "program/constant_memory.h"

#include <elf.h>

#include <cstring>

#include "base/error.h"

namespace culprit::program {
namespace {

/// Throws CorruptData when the file ends before.
template <typename Record>
Record record_at(const MappedFile& file, uint64_t offset) {
  Record record;
  if (offset > file.bytes().size() || file.bytes().size() - offset < sizeof(record)) {
    throw CorruptData(file.path().string(), offset, "the file ends in an ELF header");
  }
  std::memcpy(&record, file.bytes().data() + offset, sizeof(record));
  return record;
}

}  // namespace

ConstantMemory::ConstantMemory(const std::filesystem::path& program, uint64_t image) : file_(program) {
  const auto header = record_at<Elf64_Ehdr>(file_, 0);
  const bool readable = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                        header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_phentsize == sizeof(Elf64_Phdr);
  if (!readable) throw CorruptData(program.string(), 0, "no 64-bit little-endian ELF file");
  uint64_t bias = 0;  // of the first segment, the lowest, which begins with the header
  bool is_first = true;
  for (uint64_t index = 0; index < header.e_phnum; ++index) {
    const uint64_t offset = header.e_phoff + index * sizeof(Elf64_Phdr);
    const auto segment = record_at<Elf64_Phdr>(file_, offset);
    if (segment.p_type != PT_LOAD) continue;
    if (is_first) bias = image - (segment.p_vaddr - segment.p_offset);
    is_first = false;
    if ((segment.p_flags & PF_W) != 0) continue;
    if (segment.p_offset > file_.bytes().size() || segment.p_filesz > file_.bytes().size() - segment.p_offset) {
      throw CorruptData(program.string(), offset, "a segment lies beyond the file's end");
    }
    segments_.push_back({segment.p_vaddr + bias, file_.bytes().subspan(segment.p_offset, segment.p_filesz)});
  }
}

bool ConstantMemory::read(uint64_t address, std::span<std::byte> into) const {
  for (const Segment& segment : segments_) {
    const uint64_t offset = address - segment.address;
    if (offset > segment.bytes.size() || segment.bytes.size() - offset < into.size()) continue;
    std::memcpy(into.data(), segment.bytes.data() + offset, into.size());
    return true;
  }
  return false;
}

}  // namespace culprit::program
