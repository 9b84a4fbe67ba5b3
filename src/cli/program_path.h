// A program as the user types it.
#pragma once

#include <filesystem>
#include <string>

namespace culprit::cli {

/// The file that `typed` means, as a shell would find it: in PATH when it has no slash.
/// Throws UserError when there is none.
std::filesystem::path program_path(const std::string& typed);

}  // namespace culprit::cli
