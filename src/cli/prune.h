// What a slice is to leave out, as users name it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit::cli {

/// Each word is FUNCTION (also a library's: its calls), FILE:FIRST-LAST (lines of a file), FOLDER/ (what was compiled
/// of sources below it), var:NAME (reads and writes of variables called so) or `libraries` (calls of all that was not
/// compiled with the program). Empty without words; else whether an operation is left out. Throws UserError for words
/// that mean nothing in the program.
std::function<bool(uint32_t operation)> pruned_by(const std::vector<std::string>& words,
                                                  const depend::DependenceGraph& graph);

}  // namespace culprit::cli
