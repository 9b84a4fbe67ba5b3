// `culprit value`: C expressions at a point of a recorded run.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "cli/expression_place.h"

namespace culprit::cli {
namespace {

struct Options {
  std::string recording;
  std::string at;
  std::vector<std::string> expressions;
  size_t frame = 0;
  bool json = false;
};

ExitCode value(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.recording);
  const std::optional<StoppedReplay> stopped = stop_replay(recording, options.at);
  if (!stopped) return ExitCode::kNothingFound;
  const ExpressionPlace place(*stopped, options.frame);
  nlohmann::ordered_json found;
  for (const std::string& each : options.expressions) {
    const std::string text = program::value_of_expression(place.model(), each, place.lookup(), place.memory());
    if (options.json) {
      found[each] = text;
    } else {
      fmt::print("{} = {}\n", each, text);
    }
  }
  if (options.json) fmt::print("{}\n", found.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "value",
    .summary = "Show values of C expressions at a point of a recorded run",
    .description = "Replays RECORDING to a point, as `culprit replay --to` does, and evaluates C expressions over the\n"
                   "variables and the memory there: all operators that change nothing and call nothing, and casts to\n"
                   "the program's types.",
    .examples = {{"culprit value rec --at parse.c:88#3 'list->head[2].name' 'total % 8'", "at line 88's 3rd execution"},
                 {"culprit value rec --at crash --frame 1 '*(struct order*)p'", "in the caller, where it crashed"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("recording", options->recording, "a recording's folder or name")->required();
      app.add_option("expressions", options->expressions, "C expressions")->required();
      app.add_option("--at", options->at, "crash, exit, tick:THREAD:N, FUNCTION()[#N] or FILE:LINE[:COLUMN][#N]")
          ->required();
      app.add_option("--frame", options->frame, "activation: 0 the innermost, 1 its caller, …");
      app.add_flag("--json", options->json, "values by expression as JSON");
      return [options] { return value(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
