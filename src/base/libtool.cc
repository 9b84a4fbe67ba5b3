#include "base/libtool.h"

#include <fmt/format.h>

#include "base/error.h"

namespace culprit {
namespace fs = std::filesystem;

namespace {

constexpr size_t kBeginning = 4096;  // that tells what a script is

/// Of the line LD_LIBRARY_PATH="/place/.libs:$LD_LIBRARY_PATH".
std::string library_path(std::string_view text) {
  constexpr std::string_view kBefore = "LD_LIBRARY_PATH=\"", kBehind = ":$LD_LIBRARY_PATH\"";
  const size_t behind = text.find(kBehind);
  if (behind == std::string_view::npos) return {};
  const size_t before = text.rfind(kBefore, behind);
  if (before == std::string_view::npos) return {};
  const std::string_view path = text.substr(before + kBefore.size(), behind - before - kBefore.size());
  return path.find_first_of("\n\"$`") == std::string_view::npos ? std::string(path) : std::string();
}

}  // namespace

std::optional<LibtoolProgram> libtool_program(const fs::path& path, std::string_view text) {
  if (!text.starts_with("#!") ||
      text.substr(0, kBeginning).find("temporary wrapper script for") == std::string_view::npos) {
    return std::nullopt;
  }
  const fs::path folder = path.parent_path() / ".libs";
  for (const fs::path& candidate : {folder / path.filename(), folder / ("lt-" + path.filename().string())}) {
    if (fs::is_regular_file(candidate)) return LibtoolProgram{candidate, library_path(text)};
  }
  throw UserError(fmt::format("{} is a script of libtool's, and there is no {}", path.string(),
                              (folder / path.filename()).string()),
                  "name the program itself, or install it first");
}

}  // namespace culprit
