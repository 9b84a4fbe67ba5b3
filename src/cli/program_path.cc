#include "cli/program_path.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace culprit::cli {
namespace fs = std::filesystem;

fs::path program_path(const std::string& typed) {
  if (typed.find('/') != std::string::npos) {
    if (!fs::exists(typed)) throw UserError(fmt::format("there is no file {}", typed), "check the name");
    return typed;
  }
  if (const auto found = find_in_path(typed)) return *found;
  if (fs::exists(typed)) {
    throw UserError(fmt::format("{} is not in PATH", typed),
                    fmt::format("write ./{} for the file in this folder", typed));
  }
  throw UserError(fmt::format("{} is not in PATH", typed), "check the name, or write a path to the program");
}

}  // namespace culprit::cli
