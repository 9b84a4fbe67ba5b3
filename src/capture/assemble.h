// The object of an assembler source that was compiled and linked in one command, so that it can be linked again.
#pragma once

#include <optional>
#include <string>

#include "capture/command_line.h"

namespace culprit {

/// Assembles `source` once more with the options of `line`. Nothing when that does not work.
std::optional<std::string> assembled_object(const CommandLine& line, const std::string& compiler,
                                            const std::string& source, const std::string& language);

}  // namespace culprit
