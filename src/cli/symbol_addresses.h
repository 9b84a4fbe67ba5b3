// Where a running program has its symbols.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace culprit::cli {

/// The addresses of an executable's symbols in a process that runs it.
class SymbolAddresses {
 public:
  /// Throws UserError when the executable is not ELF, or the process does not run it.
  SymbolAddresses(const std::filesystem::path& executable, pid_t process);

  std::optional<uint64_t> address(std::string_view symbol) const;

 private:
  std::unordered_map<std::string, uint64_t> addresses_;
};

}  // namespace culprit::cli
