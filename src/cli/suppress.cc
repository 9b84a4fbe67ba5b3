// `culprit suppress`: one write or call is left out, and we see what comes of it.

#include <bit>
#include <cctype>

#include "base/error.h"
#include "cli/single_experiment.h"

namespace culprit::cli {
namespace {

struct Options : ExperimentOptions {
  std::string value;
};

/// The bits of a whole number, decimal or hexadecimal, or of a number with a point, which is a double's.
std::optional<uint64_t> value_bits(const std::string& text) {
  if (text.empty()) return std::nullopt;
  size_t used = 0;
  try {
    const bool whole = text.find('.') == std::string::npos;
    const uint64_t bits = !whole           ? std::bit_cast<uint64_t>(std::stod(text, &used))
                          : text[0] == '-' ? static_cast<uint64_t>(std::stoll(text, &used, 0))
                                           : std::stoull(text, &used, 0);
    if (used == text.size()) return bits;
  } catch (const std::logic_error&) {
    used = 0;
  }
  throw UserError(text + " is no number", "give --value 42, 0x2a, -1 or 0.5");
}

ExitCode run(const Options& options) {
  Progress progress("suppress");
  const std::optional<uint64_t> value = value_bits(options.value);
  const StandardInput input;
  const auto [launch, model] = session_program(options.command, input, progress, "alterable");
  const SuppressRequest request{
      .at = program::parse_source_position(options.at), .value = value, .limit = options.limit()};
  return show_outcome(options, value ? "gave another value to" : "suppressed", suppress_once(launch, model, request));
}

const Registration kSuppress{Command{
    .name = "suppress",
    .summary = "Leave out a write or a call, and see what comes of it",
    .description = "Runs the program as it is, then once more without a write to memory or a call: at one execution, "
                   "or at each. A "
                   "call that is left out yields 0, or what --value says; a write writes, and a return returns, that value. The altered run touches nothing outside: "
                   "files it writes "
                   "are private memory, and it starts no process and opens no connection. What it prints is printed.",
    .examples = {{"culprit suppress --at list.c:40#3 -- ./prog input.txt", "leaves out the third execution"},
                 {"culprit suppress --at list.c:40 prog-3", "each execution, in the recorded run prog-3"},
                 {"culprit suppress --at list.c:40:9#1 --value -1 -- ./prog",
                  "of several statements of the line that at column 9: its call yields -1, or it writes -1"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          add_experiment_options(app, *options, "The write or call");
          app.add_option("--value", options->value,
                         "What is written or returned instead, or what the call that is left out yields: a whole number, or a "
                         "double with a point");
          return [options] { return run(*options); };
        },
}};

}  // namespace
}  // namespace culprit::cli
