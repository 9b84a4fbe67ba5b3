// What the commands for one experiment by hand share: their options, and how they tell what came of it.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/session_program.h"
#include "locate/single_experiment.h"

namespace culprit::cli {

struct ExperimentOptions {
  std::vector<std::string> command;
  std::string at;
  double timeout = 60;
  bool json = false;

  std::chrono::milliseconds limit() const { return std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000)); }
};

void add_experiment_options(CLI::App& app, ExperimentOptions& options, const std::string& what_at);

/// Prints what the altered run printed and, to standard error, how it ended; or all as JSON. `done`: "switched".
ExitCode show_outcome(const ExperimentOptions& options, const char* done, const SingleOutcome& outcome);

}  // namespace culprit::cli
