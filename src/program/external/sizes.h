// Sizes of the C library's structures, for sizeof(NAME) in the table of external functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace culprit::program::external {

/// Of x86-64 Linux with glibc, which Culprit itself and the programs that it explains run on.
std::optional<uint64_t> size_of_structure(std::string_view name);

}  // namespace culprit::program::external
