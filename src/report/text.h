// An explanation for a terminal.
#pragma once

#include <string>

#include "report/explanation.h"

namespace culprit::report {

struct TextStyle {
  bool colour = false;
};

/// Reads like a colleague's explanation, source lines quoted where the files can be read.
std::string to_text(const Explanation& explanation, const TextStyle& style);

/// One line of a source file without its indentation; empty when it cannot be read.
std::string source_line(const std::string& file, uint32_t line);

}  // namespace culprit::report
