// Running a built program so that whoever called us cannot tell it from the original.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"

namespace culprit::cli {

struct Execution {
  std::filesystem::path executable;
  std::vector<std::string> words;                  ///< argv: the program's name as typed, then its arguments
  std::map<std::string, std::string> environment;  ///< set in addition to ours
};

/// Becomes the program; returns only by throwing UserError.
[[noreturn]] void become(const Execution& execution);

/// Runs the program as a child, passing on signals that come for us, and waits.
ProcessEnd run_and_wait(const Execution& execution);

/// Ends this process the way that one ended: by the same signal (without a second core file), or with its status.
[[noreturn]] void end_like(const ProcessEnd& end);

}  // namespace culprit::cli
