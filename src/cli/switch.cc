// `culprit switch`: one branch goes the other way, and we see what comes of it.

#include "cli/single_experiment.h"

namespace culprit::cli {
namespace {

struct Options : ExperimentOptions {
  uint32_t to = 0;
};

ExitCode run(const Options& options) {
  Progress progress("switch");
  const StandardInput input;
  const auto [launch, model] = session_program(options.command, input, progress);
  const SwitchRequest request{
      .at = program::parse_source_position(options.at), .to_line = options.to, .limit = options.limit()};
  return show_outcome(options, "switched", switch_once(launch, model, request));
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
          add_experiment_options(app, *options, "The branch");
          app.add_option("--to", options->to, "Line to go to, where a branch has more than two sides");
          return [options] { return run(*options); };
        },
}};

}  // namespace
}  // namespace culprit::cli
