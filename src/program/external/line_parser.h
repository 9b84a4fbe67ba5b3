// One line of the table of external functions: grammar in docs/formats.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/external/description.h"
#include "program/external/tokens.h"

namespace culprit::program::external {

using StateNames = std::set<std::string, std::less<>>;

/// The name that `state @NAME: meaning` declares. Throws LineError.
std::string declared_state(std::string_view line);

/// A description for every name at the line's start. Throws LineError.
std::vector<Description> parse_line(std::string_view line, const StateNames& states);

}  // namespace culprit::program::external
