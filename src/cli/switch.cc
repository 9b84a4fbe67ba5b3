// `culprit switch`: one branch goes the other way, and we see what comes of it.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "cli/command.h"
#include "cli/session_program.h"
#include "locate/single_switch.h"

namespace culprit::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string at;
  uint32_t to = 0;
  double timeout = 60;
  bool json = false;
};

std::string end_text(int wait_status) {
  return WIFSIGNALED(wait_status) ? fmt::format("by a signal ({})", ::strsignal(WTERMSIG(wait_status)))
                                  : fmt::format("with exit status {}", WEXITSTATUS(wait_status));
}

ExitCode run(const Options& options) {
  Progress progress("switch");
  const StandardInput input;
  const auto [launch, model] = session_program(options.command, input, progress);
  const SwitchRequest request{.at = program::parse_source_position(options.at),
                              .to_line = options.to,
                              .limit = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000))};
  const SwitchOutcome outcome = switch_once(launch, model, request);
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
  const std::string which = request.at.instance == 0
                                ? fmt::format("each of {} executions", outcome.executions)
                                : fmt::format("execution {} of {}", request.at.instance, outcome.executions);
  std::cerr << fmt::format("culprit: switched {} of {}: the program {} (without: {})\n", which, options.at,
                           outcome.stopped ? "did not end and was stopped" : "ended " + end_text(outcome.wait_status),
                           end_text(outcome.unaltered_status));
  return ExitCode::kAnswered;
}

const Registration kSwitch{Command{
    .name = "switch",
    .summary = "Let a branch go the other way, and see what comes of it",
    .description = "Runs the program as it is, then once more with a branch switched: at one execution, or at each. "
                   "The altered run "
                   "touches nothing outside: files it writes are private memory, and it starts no process and opens no "
                   "connection. What it prints is printed.",
    .examples = {{"culprit switch --at parse.c:88#3 -- ./prog input.txt", "switches the third execution of the branch"},
                 {"culprit switch --at parse.c:88 -- ./prog input.txt", "switches each execution"},
                 {"culprit switch --at parse.c:88#3 prog-3", "the same in the recorded run prog-3"},
                 {"culprit switch --at parse.c:88:12#1 --to 95 -- ./prog", "of a switch statement: goes to line 95"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          app.add_option("--at", options->at, "The branch: FILE:LINE[:COLUMN][#EXECUTION]")->required();
          app.add_option("--to", options->to, "Line to go to, where a branch has more than two sides");
          app.add_option("--timeout", options->timeout, "Seconds for each run (60)")->check(CLI::PositiveNumber);
          app.add_flag("--json", options->json, "Print JSON");
          app.add_option("command", options->command,
                         "The program and its arguments, after --; or the name of a recording")
              ->required();
          return [options] { return run(*options); };
        },
}};

}  // namespace
}  // namespace culprit::cli
