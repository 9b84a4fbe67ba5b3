// What the linker was told: written by culprit-cc into `.culprit.link`, so that the program can be linked again later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace culprit {

enum class LinkInputKind {
  kSource,  ///< compiled and linked in one command
  kObject,
  kLtoObject,  ///< LLVM bitcode made by -flto: what it carries shows in the program's units only
  kArchive,
  kSharedLibrary,  ///< a .so given by its path
  kLibrary,        ///< -lNAME
  kLibraryPath,    ///< -LDIR
  kLinkerScript,   ///< a text file given as an input
  kOption,         ///< an option for the linker, or one that decides what is linked (-pthread, -static, …)
};

/// One thing on the link's command line; their order is that of the command line.
struct LinkInput {
  LinkInputKind kind = LinkInputKind::kOption;
  std::vector<std::string> words;  ///< as given: one word, or an option and its value
  std::string path;                ///< absolute; of -l the file it was resolved to, of an option the file it names
  uint32_t parts = 0;              ///< objects: 1; archives: their members
  uint32_t captured_parts = 0;     ///< those of them that carry bitcode; for a shared library 1 when it does
  uint64_t content_hash = 0;  ///< of the EmbeddedFile that stands for it (of an assembler source: its object), or 0

  bool operator==(const LinkInput&) const = default;
};

struct LinkRecord {
  std::string tool_version;  ///< Culprit's
  std::string directory;     ///< working directory of the link
  std::string compiler;      ///< path of clang
  bool is_cxx = false;       ///< driven as clang++: libstdc++ and libm are linked
  bool is_shared = false;
  bool is_relocatable = false;  ///< made by -r: the program it became part of has a record of its own
  bool is_lto = false;
  std::string output;                  ///< absolute
  std::vector<std::string> arguments;  ///< all of the command line, response files expanded
  std::vector<LinkInput> inputs;

  bool operator==(const LinkRecord&) const = default;
};

/// A file without bitcode whose bytes travel in the program, so that it can be linked again elsewhere.
struct EmbeddedFile {
  std::string path;  ///< absolute, at the time of the link
  uint64_t hash = 0;
  std::span<const std::byte> content;
};

/// The contents of one `.culprit.link` section.
struct LinkSection {
  std::vector<LinkRecord> records;  ///< those of partial links come before that of the program
  std::vector<EmbeddedFile> files;
};

/// The bytes of a section with this record and these files.
std::string link_section_bytes(const LinkRecord& record, const std::vector<EmbeddedFile>& files);

/// Reads a section; the files' contents are views into `bytes`. `file` and `file_offset` are for messages.
/// Throws CorruptData, and UserError for records of another version.
LinkSection read_link_section(std::span<const std::byte> bytes, const std::string& file, uint64_t file_offset);

/// Whether something of this input became part of the program, or could be absorbed into it, but has no bitcode.
/// Shared libraries found by -l are not meant to have any.
bool lacks_bitcode(const LinkInput& input);

/// "source", "object", …
const char* name_of(LinkInputKind kind);

}  // namespace culprit
