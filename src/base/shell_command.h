// A command line of the user's, run by the shell: its input given, its output taken.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/file.h"

namespace culprit {

struct ShellResult {
  ProcessEnd end;
  std::string output;  ///< standard output; standard error goes where ours goes
};

/// `sh -c command`. Throws UserError (kEnvironmentLacks) when no process or memory is to be had.
ShellResult run_shell(const std::string& command, std::string_view input,
                      const std::map<std::string, std::string>& environment);

/// The same with a file as standard input.
ShellResult run_shell(const std::string& command, const std::filesystem::path& input);

}  // namespace culprit
