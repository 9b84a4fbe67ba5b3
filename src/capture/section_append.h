// Adds a section to a finished ELF file in place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace culprit {

enum class AppendResult {
  kAppended,
  kNotApplicable,  ///< not a regular file, not ELF for x86-64, or without section headers: a conftest's /dev/null, a
                   ///< raw image
};

/// Appends a section without SHF_ALLOC to `path`, whatever sections of that name it has already. The bytes, a new table
/// of section names and a new table of section headers go behind the end; the ELF header is changed last, so that a
/// write that fails half-way leaves the file as valid as it was. Throws UserError when the file cannot be written.
AppendResult append_section(const std::filesystem::path& path, const std::string& name, std::string_view content);

}  // namespace culprit
