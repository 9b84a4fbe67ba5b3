#include "capture/elf.h"

#include <fmt/format.h>
#include <algorithm>

#include <cstring>

#include "base/error.h"

namespace culprit {
namespace {

bool lies_within(uint64_t offset, uint64_t size, uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

}  // namespace

ElfFile::ElfFile(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  if (!has_magic(bytes_)) throw UserError(fmt::format("{} is not an ELF file", name_), "name a program or an object");
  const auto header = read<Elf64_Ehdr>(0, "ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64) {
    throw UserError(fmt::format("{} is not for x86-64", name_), "Culprit works on 64-bit x86 programs for Linux",
                    ExitCode::kEnvironmentLacks);
  }
  type_ = header.e_type;
  read_sections(header);
  read_segments(header);
}

bool ElfFile::has_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

void ElfFile::corrupt(uint64_t offset, const std::string& what) const {
  throw CorruptData(name_, offset, what);
}

template <typename T>
T ElfFile::read(uint64_t offset, const char* what) const {
  if (!lies_within(offset, sizeof(T), bytes_.size())) corrupt(offset, fmt::format("the file ends inside the {}", what));
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

void ElfFile::read_sections(const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) corrupt(0, "section headers of an unknown size");
  const auto first = read<Elf64_Shdr>(header.e_shoff, "section header table");
  // Above 65,279 sections the first section header holds the numbers.
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const uint64_t names_index = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count > bytes_.size() / sizeof(Elf64_Shdr) ||
      !lies_within(header.e_shoff, count * sizeof(Elf64_Shdr), bytes_.size())) {
    corrupt(header.e_shoff, "the file ends inside the section header table");
  }

  std::vector<Elf64_Shdr> headers;
  for (uint64_t index = 0; index < count; ++index) {
    headers.push_back(read<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr), "section header table"));
  }
  std::span<const std::byte> names;
  if (names_index != SHN_UNDEF && names_index < count) {
    const Elf64_Shdr& table = headers[names_index];
    if (!lies_within(table.sh_offset, table.sh_size, bytes_.size())) {
      corrupt(table.sh_offset, "the section names lie outside the file");
    }
    names = bytes_.subspan(table.sh_offset, table.sh_size);
  }
  for (uint64_t index = 0; index < count; ++index) {
    const Elf64_Shdr& each = headers[index];
    ElfSection section{.name = {},
                       .type = each.sh_type,
                       .flags = each.sh_flags,
                       .address = each.sh_addr,
                       .offset = each.sh_offset,
                       .size = each.sh_size,
                       .link = each.sh_link,
                       .entry_size = each.sh_entsize};
    if (!names.empty()) section.name = string_at(names, each.sh_name, header.e_shoff + index * sizeof(Elf64_Shdr));
    sections_.push_back(section);
  }
}

void ElfFile::read_segments(const Elf64_Ehdr& header) {
  if (header.e_phoff == 0 || header.e_phnum == 0) return;
  if (header.e_phentsize != sizeof(Elf64_Phdr)) corrupt(0, "program headers of an unknown size");
  for (uint64_t index = 0; index < header.e_phnum; ++index) {
    segments_.push_back(read<Elf64_Phdr>(header.e_phoff + index * sizeof(Elf64_Phdr), "program header table"));
  }
}

std::string_view ElfFile::string_at(std::span<const std::byte> table, uint64_t offset, uint64_t reported_at) const {
  if (offset >= table.size()) corrupt(reported_at, "a name lies outside its string table");
  const auto* start = reinterpret_cast<const char*>(table.data()) + offset;
  const auto* end = static_cast<const char*>(std::memchr(start, 0, table.size() - offset));
  if (!end) corrupt(reported_at, "a name has no end");
  return {start, static_cast<size_t>(end - start)};
}

const ElfSection* ElfFile::section(std::string_view name) const {
  for (const ElfSection& each : sections_) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::span<const std::byte> ElfFile::content(const ElfSection& section) const {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL) return {};
  if (!lies_within(section.offset, section.size, bytes_.size())) {
    corrupt(section.offset, fmt::format("the section {} reaches past the end of the file", section.name));
  }
  return bytes_.subspan(section.offset, section.size);
}

uint64_t ElfFile::lowest_page() const {
  constexpr uint64_t kPage = 4096;
  uint64_t lowest = ~uint64_t{0};
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD) lowest = std::min<uint64_t>(lowest, segment.p_vaddr & ~(kPage - 1));
  }
  return lowest;
}

std::optional<std::string> ElfFile::interpreter() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_INTERP) continue;
    if (!lies_within(segment.p_offset, segment.p_filesz, bytes_.size())) {
      corrupt(segment.p_offset, "the interpreter's name lies outside the file");
    }
    return std::string(string_at(bytes_.subspan(segment.p_offset, segment.p_filesz), 0, segment.p_offset));
  }
  return std::nullopt;
}

std::vector<std::string> ElfFile::dynamic_strings(int64_t tag) const {
  std::vector<std::string> found;
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_DYNAMIC) continue;
    if (section.link >= sections_.size()) corrupt(section.offset, "the dynamic section has no string table");
    const auto strings = content(sections_[section.link]);
    const uint64_t count = content(section).size() / sizeof(Elf64_Dyn);
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t offset = section.offset + index * sizeof(Elf64_Dyn);
      const auto entry = read<Elf64_Dyn>(offset, "dynamic section");
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == tag) found.emplace_back(string_at(strings, entry.d_un.d_val, offset));
    }
  }
  return found;
}

std::vector<std::string> ElfFile::needed_libraries() const {
  return dynamic_strings(DT_NEEDED);
}

std::optional<std::string> ElfFile::shared_object_name() const {
  auto names = dynamic_strings(DT_SONAME);
  return names.empty() ? std::nullopt : std::optional(std::move(names.front()));
}

std::vector<std::string> ElfFile::library_search_path() const {
  auto paths = dynamic_strings(DT_RUNPATH);
  if (paths.empty()) paths = dynamic_strings(DT_RPATH);
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    for (size_t start = 0; start <= path.size();) {
      const size_t colon = std::min(path.find(':', start), path.size());
      if (colon > start) folders.push_back(path.substr(start, colon - start));
      start = colon + 1;
    }
  }
  return folders;
}

std::vector<ElfSymbol> ElfFile::symbols(std::string_view table) const {
  const ElfSection* section = this->section(table);
  if (!section) return {};
  if (section->link >= sections_.size()) corrupt(section->offset, fmt::format("{} has no string table", table));
  const auto strings = content(sections_[section->link]);
  std::vector<ElfSymbol> found;
  const uint64_t count = content(*section).size() / sizeof(Elf64_Sym);
  for (uint64_t index = 0; index < count; ++index) {
    const uint64_t offset = section->offset + index * sizeof(Elf64_Sym);
    const auto symbol = read<Elf64_Sym>(offset, "symbol table");
    found.push_back({.name = string_at(strings, symbol.st_name, offset),
                     .value = symbol.st_value,
                     .size = symbol.st_size,
                     .type = static_cast<uint8_t>(ELF64_ST_TYPE(symbol.st_info)),
                     .binding = static_cast<uint8_t>(ELF64_ST_BIND(symbol.st_info)),
                     .visibility = static_cast<uint8_t>(ELF64_ST_VISIBILITY(symbol.st_other)),
                     .section = symbol.st_shndx});
  }
  return found;
}

}  // namespace culprit
