// Small ELF files made in memory, for tests of reading them.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace culprit {

/// An executable's ELF header with these sections, behind each other, and a table of section names.
inline std::string sample_elf(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, const std::string& content, uint32_t type) {
    file.resize((file.size() + 7) / 8 * 8);
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names.size());
    header.sh_type = type;
    header.sh_offset = file.size();
    header.sh_addralign = 8;
    names += name + '\0';
    const std::string& bytes = name == ".shstrtab" ? names : content;
    header.sh_size = bytes.size();
    file += bytes;
    headers.push_back(header);
  };
  for (const auto& [name, content] : sections) add(name, content, SHT_PROGBITS);
  add(".shstrtab", "", SHT_STRTAB);

  file.resize((file.size() + 7) / 8 * 8);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers.size());
  header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
  std::memcpy(file.data(), &header, sizeof header);
  file.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return file;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace culprit
