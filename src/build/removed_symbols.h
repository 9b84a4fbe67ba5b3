// References that the native build's optimiser removed before its link.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "capture/capture.h"

namespace culprit {

/// `if (0) f();` links natively although no f exists; a body whose variables live in memory keeps the call. When
/// `messages` of the linker complain of nothing but undefined symbols that the native program does not import, writes
/// an assembler file into `work` that defines each as a trap, and returns its path: the link succeeds with it.
/// The linker must not have demangled the names.
std::optional<std::filesystem::path> define_removed_symbols(const Capture& program, const std::string& messages,
                                                            const std::filesystem::path& work);

}  // namespace culprit
