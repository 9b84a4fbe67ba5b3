// ELF files of x86-64 read without trust: every offset is checked, and damage throws CorruptData with its place.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;   ///< SHT_…
  uint64_t flags = 0;  ///< SHF_…
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint64_t entry_size = 0;
};

struct ElfSymbol {
  std::string_view name;
  uint64_t value = 0;
  uint64_t size = 0;
  uint8_t type = 0;     ///< STT_…
  uint8_t binding = 0;  ///< STB_…
  uint8_t visibility = 0;
  uint16_t section = 0;  ///< index, or SHN_UNDEF, SHN_ABS, SHN_COMMON
};

class ElfFile {
 public:
  /// Keeps views into `bytes`; `name` is for messages. Throws UserError for what is not ELF for x86-64, CorruptData
  /// for an ELF file whose tables lie outside it.
  ElfFile(std::span<const std::byte> bytes, std::string name);

  static bool has_magic(std::span<const std::byte> bytes);

  uint16_t type() const { return type_; }  ///< ET_EXEC, ET_DYN, ET_REL
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ElfSection* section(std::string_view name) const;
  /// Empty for sections without bytes in the file.
  std::span<const std::byte> content(const ElfSection& section) const;

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Where the lowest page that is loaded begins, by the file's own addresses.
  uint64_t lowest_page() const;
  /// PT_INTERP; nothing in static executables, shared libraries and objects.
  std::optional<std::string> interpreter() const;

  std::vector<std::string> needed_libraries() const;      ///< DT_NEEDED in order
  std::optional<std::string> shared_object_name() const;  ///< DT_SONAME
  std::vector<std::string> library_search_path() const;   ///< DT_RUNPATH, else DT_RPATH, split at colons

  /// Symbols of the section `.symtab` or `.dynsym`; none when there is no such section.
  std::vector<ElfSymbol> symbols(std::string_view table) const;

 private:
  template <typename T>
  T read(uint64_t offset, const char* what) const;
  void read_sections(const Elf64_Ehdr& header);
  void read_segments(const Elf64_Ehdr& header);
  std::string_view string_at(std::span<const std::byte> table, uint64_t offset, uint64_t reported_at) const;
  std::vector<std::string> dynamic_strings(int64_t tag) const;
  [[noreturn]] void corrupt(uint64_t offset, const std::string& what) const;

  std::span<const std::byte> bytes_;
  std::string name_;
  uint16_t type_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace culprit
