#include "cli/single_experiment.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "program/source_position.h"

namespace culprit::cli {
namespace {

std::string end_text(int wait_status) {
  return WIFSIGNALED(wait_status) ? fmt::format("by a signal ({})", ::strsignal(WTERMSIG(wait_status)))
                                  : fmt::format("with exit status {}", WEXITSTATUS(wait_status));
}

}  // namespace

void add_experiment_options(CLI::App& app, ExperimentOptions& options, const std::string& what_at) {
  app.add_option("--at", options.at, what_at + ": FILE:LINE[:COLUMN][#EXECUTION]")->required();
  app.add_option("--timeout", options.timeout, "Seconds for each run (60)")->check(CLI::PositiveNumber);
  app.add_flag("--json", options.json, "Print JSON");
  app.add_option("command", options.command, "The program and its arguments, after --; or the name of a recording")
      ->required();
}

ExitCode show_outcome(const ExperimentOptions& options, const char* done, const SingleOutcome& outcome) {
  if (options.json) {
    std::cout << nlohmann::ordered_json{{"at", options.at},
                                        {"executions", outcome.executions},
                                        {"stopped", outcome.stopped},
                                        {"unaltered_end", end_text(outcome.unaltered_status)},
                                        {"end", end_text(outcome.wait_status)},
                                        {"output", outcome.output}}
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
    return ExitCode::kAnswered;
  }
  std::cout << outcome.output << std::flush;
  const uint64_t instance = program::parse_source_position(options.at).instance;
  const std::string which = instance == 0 ? fmt::format("each of {} executions", outcome.executions)
                                          : fmt::format("execution {} of {}", instance, outcome.executions);
  std::cerr << fmt::format("culprit: {} {} of {}: the program {} (without: {})\n", done, which, options.at,
                           outcome.stopped ? "did not end and was stopped" : "ended " + end_text(outcome.wait_status),
                           end_text(outcome.unaltered_status));
  return ExitCode::kAnswered;
}

}  // namespace culprit::cli
