// The command line as CLI11 sees it, made from the registry.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace culprit::cli {

struct Application {
  CLI::App app{"Culprit explains why C and C++ programs fail.", "culprit"};
  /// One a command, in the registry's order: its part of `app`, and what runs when that was parsed.
  std::vector<std::pair<CLI::App*, std::function<ExitCode()>>> actions;
};

std::unique_ptr<Application> make_application();

}  // namespace culprit::cli
