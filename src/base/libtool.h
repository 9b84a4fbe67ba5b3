// The scripts that libtool puts in the place of programs until they are installed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace culprit {

struct LibtoolProgram {
  std::filesystem::path program;  ///< that the script runs: `.libs/NAME` beside it
  std::string library_path;       ///< what it puts before LD_LIBRARY_PATH; empty: nothing
};

/// Nothing where `text`, the content of the file at `path` or its beginning, is no such script. Throws UserError where
/// the program is missing.
std::optional<LibtoolProgram> libtool_program(const std::filesystem::path& path, std::string_view text);

}  // namespace culprit
