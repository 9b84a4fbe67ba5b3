// Commands whose input is given and whose output is taken.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace culprit {

struct CommandResult {
  ProcessEnd end;
  std::string output;    ///< standard output; standard error goes where ours goes
  bool stopped = false;  ///< it was killed, for it had run long enough
};

struct CapturedCommand {
  std::filesystem::path executable;
  std::vector<std::string> words;                  ///< argv
  std::filesystem::path input;                     ///< file for standard input
  std::map<std::string, std::string> environment;  ///< set in addition to ours
  std::function<bool()> enough{};                  ///< asked every few milliseconds; true: it is killed
};

/// Runs the command to its end; its standard error goes nowhere. Throws UserError (kEnvironmentLacks) when it cannot be
/// started.
CommandResult run_captured(const CapturedCommand& command);

/// `sh -c command`. Throws UserError (kEnvironmentLacks) when no process or memory is to be had.
CommandResult run_shell(const std::string& command, std::string_view input,
                        const std::map<std::string, std::string>& environment);

/// The same with a file as standard input.
CommandResult run_shell(const std::string& command, const std::filesystem::path& input);

}  // namespace culprit
