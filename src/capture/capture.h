// What a program compiled with culprit-cc carries: its units' bitcode and how it was linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "capture/link_record.h"

namespace culprit {

struct Unit {
  std::string directory;  ///< where the compiler ran
  std::string source;     ///< as given to the compiler
  std::string producer;   ///< compiler and version
  uint64_t hash = 0;      ///< XXH3 64 of the bitcode
  std::span<const std::byte> bitcode;
};

struct Capture {
  std::filesystem::path path;        ///< the file read: for libtool's wrapper scripts the program behind it
  std::shared_ptr<MappedFile> file;  ///< keeps the spans alive
  std::vector<Unit> units;           ///< in the linker's order
  std::optional<LinkRecord> link;    ///< of the program's own link; nothing for objects and archives
  std::vector<LinkRecord> partial_links;
  std::vector<EmbeddedFile> embedded_files;
};

/// Reads an executable, a shared library, an object or an archive.
/// Throws UserError: not an ELF file (kBadUsage), no bitcode in it (kEnvironmentLacks, naming culprit-cc), a capture of
/// another version of Culprit, a missing file. Throws CorruptData when a record is damaged or cut short.
Capture read_capture(const std::filesystem::path& path);

/// The same from bytes in memory, which must outlive the result; `path` is for messages.
Capture read_capture_of(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Whether an ELF file or LLVM bitcode made by culprit-cc; never throws for files of other kinds.
bool carries_bitcode(std::span<const std::byte> object);

}  // namespace culprit
