#include "build/removed_symbols.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "base/file.h"
#include "build/job.h"
#include "capture/elf.h"

namespace culprit {
namespace {

constexpr std::string_view kError = "error: ";
constexpr std::string_view kUndefined = "error: undefined ";
constexpr std::string_view kName = "symbol: ";                  // after the visibility, if it is not the default
constexpr std::string_view kSummary = "linker command failed";  // clang's word after lld's

/// The undefined symbols; nothing when the linker complains of something else.
std::set<std::string> only_undefined(const std::string& messages) {
  std::set<std::string> names;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    const size_t undefined = line.find(kUndefined);
    const size_t name = undefined == std::string::npos ? undefined : line.find(kName, undefined);
    if (name != std::string::npos) {
      names.insert(line.substr(name + kName.size()));
    } else if (line.find(kError) != std::string::npos && line.find(kSummary) == std::string::npos) {
      return {};
    }
  }
  return names;
}

bool imports(const Capture& program, const std::set<std::string>& names) {
  const ElfFile elf(program.file->bytes(), program.path);
  for (const ElfSymbol& symbol : elf.symbols(".dynsym")) {
    if (symbol.section == SHN_UNDEF && names.contains(std::string(symbol.name))) return true;
  }
  return false;
}

}  // namespace

std::optional<std::filesystem::path> define_removed_symbols(const Capture& program, const std::string& messages,
                                                            const std::filesystem::path& work) {
  const std::set<std::string> names = only_undefined(messages);
  if (names.empty() || imports(program, names)) return std::nullopt;
  std::string text = "  .text\n";
  for (const std::string& name : names) text += fmt::format("  .globl \"{0}\"\n\"{0}\":\n  ud2\n", name);
  text += "  .section .note.GNU-stack,\"\",@progbits\n";
  // Named so that it does not move what the program can see (build/link_layout.h).
  const std::filesystem::path path = work / fmt::format("{}removed.s", kObservedObjectPrefix);
  write_file_atomically(path, text);
  return path;
}

}  // namespace culprit
