#include "cli/symbol_addresses.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "capture/elf.h"

namespace culprit::cli {
namespace {

/// The lowest address where the process has the file mapped.
std::optional<uint64_t> lowest_mapping(const std::filesystem::path& file, pid_t process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  const std::string wanted = std::filesystem::canonical(file).string();
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, permissions, offset, device, inode, path;
    words >> range >> permissions >> offset >> device >> inode;
    std::getline(words >> std::ws, path);
    if (path == wanted) return std::stoull(range, nullptr, 16);
  }
  return std::nullopt;
}

}  // namespace

SymbolAddresses::SymbolAddresses(const std::filesystem::path& executable, pid_t process) {
  const MappedFile file(executable);
  const ElfFile elf(file.bytes(), executable.string());
  const std::optional<uint64_t> base = lowest_mapping(executable, process);
  if (!base) throw UserError(fmt::format("process {} does not run {}", process, executable.string()), "");
  const uint64_t bias = *base - elf.lowest_page();
  for (const ElfSymbol& symbol : elf.symbols(".symtab")) {
    if (symbol.section != SHN_UNDEF && symbol.type != STT_TLS) addresses_.emplace(symbol.name, symbol.value + bias);
  }
}

std::optional<uint64_t> SymbolAddresses::address(std::string_view symbol) const {
  const auto at = addresses_.find(std::string(symbol));
  if (at == addresses_.end()) return std::nullopt;
  return at->second;
}

}  // namespace culprit::cli
