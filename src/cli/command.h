// The registry of subcommands: one file each, self-registering, carrying its own help (text and examples from which
// --help, the man pages and the shell completions are made).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace culprit::cli {

/// A line of the EXAMPLES part of a command's help.
struct Example {
  std::string command;  ///< as typed, e.g. "culprit run ./prog -- -v"
  std::string says;     ///< what it does, one sentence
};

/// A subcommand as plain data. `configure` adds options to the CLI11 app and returns what runs after parsing.
struct Command {
  std::string name;               ///< e.g. "build"; a two-word command such as "dump capture" has a space
  std::string summary;            ///< one line, no full stop
  std::string description;        ///< paragraphs for --help and the man page
  std::vector<Example> examples;  ///< at least one
  std::function<std::function<ExitCode()>(CLI::App&)> configure;
};

/// All commands in order of name.
const std::vector<Command>& commands();

/// A namespace-scope `const Registration kRegistration{Command{…}};` in a command's file adds it to the registry.
struct Registration {
  explicit Registration(Command command);
};

/// The argument of commands about one recording.
void add_recording_option(CLI::App& app, std::string& name);

}  // namespace culprit::cli
