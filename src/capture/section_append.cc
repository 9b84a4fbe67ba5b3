#include "capture/section_append.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "capture/elf.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;

constexpr uint64_t kAlignment = 8;

void pad(std::string& tail, uint64_t file_bytes) {
  while ((file_bytes + tail.size()) % kAlignment != 0) tail += '\0';
}

/// What goes behind the end of the file, and the ELF header that makes it count.
struct Extension {
  std::string tail;
  Elf64_Ehdr header;
};

std::optional<Extension> extend(const fs::path& path, const std::string& name, std::string_view content) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (!ElfFile::has_magic(bytes)) return std::nullopt;
  const ElfFile elf(bytes, path);  // checks every table that is copied below
  const uint64_t count = elf.sections().size();
  if (count == 0) return std::nullopt;

  Extension extension;
  Elf64_Ehdr& header = extension.header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(count);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, count * sizeof(Elf64_Shdr));
  const uint64_t names_index = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : sections[0].sh_link;
  if (names_index == SHN_UNDEF || names_index >= count) return std::nullopt;

  std::string& tail = extension.tail;
  pad(tail, bytes.size());
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = bytes.size() + tail.size();
  section.sh_size = content.size();
  section.sh_addralign = kAlignment;
  tail += content;

  // Objects of LLVM keep names of symbols in the same table; a longer copy serves both.
  Elf64_Shdr& names = sections[names_index];
  const auto old_names = elf.content(elf.sections()[names_index]);
  section.sh_name = static_cast<uint32_t>(old_names.size());
  names.sh_offset = bytes.size() + tail.size();
  tail.append(reinterpret_cast<const char*>(old_names.data()), old_names.size()).append(name) += '\0';
  names.sh_size = old_names.size() + name.size() + 1;

  sections.push_back(section);
  if (sections.size() < SHN_LORESERVE) {
    header.e_shnum = static_cast<uint16_t>(sections.size());
  } else {
    header.e_shnum = 0;
    sections[0].sh_size = sections.size();
  }
  pad(tail, bytes.size());
  header.e_shoff = bytes.size() + tail.size();
  tail.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return extension;
}

void write_at(int fd, const fs::path& path, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), "check the free space");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
}

/// A file descriptor that is closed at the end of its scope.
struct OpenFile {
  explicit OpenFile(const fs::path& path) : fd(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd;
};

}  // namespace

AppendResult append_section(const fs::path& path, const std::string& name, std::string_view content) {
  std::error_code missing;
  if (!fs::is_regular_file(path, missing)) return AppendResult::kNotApplicable;
  const auto extension = extend(path, name, content);
  if (!extension) return AppendResult::kNotApplicable;
  const OpenFile file(path);
  struct stat status {};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0) {
    throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), "check the permissions");
  }
  write_at(file.fd, path, extension->tail, static_cast<uint64_t>(status.st_size));
  write_at(file.fd, path, {reinterpret_cast<const char*>(&extension->header), sizeof extension->header}, 0);
  return AppendResult::kAppended;
}

}  // namespace culprit
