// `culprit value`: C expressions at a point of a recorded run.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "cli/replay_to.h"
#include "cli/symbol_addresses.h"
#include "program/c_expression.h"
#include "program/source_position.h"
#include "session/frames.h"
#include "session/variables.h"

namespace culprit::cli {
namespace {

struct Options {
  std::string recording;
  std::string at;
  std::vector<std::string> expressions;
  size_t frame = 0;
  bool json = false;
};

/// The activation that the expressions are about; one without a statement where none is active, which leaves globals.
Frame chosen_frame(const StoppedReplay& stopped, size_t number) {
  const std::vector<Frame> frames = read_frames(memory_of(stopped.session), stopped.position.frames, number + 1);
  if (number < frames.size() && frames[number].statement < stopped.model->statements().size()) return frames[number];
  if (frames.empty() && number == 0) return {.statement = format::kNone};
  throw UserError(fmt::format("there is no activation {} with a statement of the program at this point", number),
                  "culprit replay --to POINT lists the activations");
}

std::optional<program::Object> object_named(const StoppedReplay& stopped, const Frame& frame,
                                            const SymbolAddresses& symbols, std::string_view name) {
  const program::ProgramModel& model = *stopped.model;
  const std::optional<uint32_t> found = program::find_variable(model, frame.statement, name);
  if (!found) return std::nullopt;
  const format::VariableRecord& variable = model.variable(*found);
  std::optional<uint64_t> address = frame_address(variable, frame);
  if (variable.home == format::HomeKind::kGlobal) {
    address = symbols.address(model.text(variable.symbol));
    if (address) *address += static_cast<uint64_t>(variable.offset);
  }
  if (!address) {
    throw UserError(fmt::format("{} has no place in memory here", name), "ask at another statement of the function");
  }
  return program::Object{variable.type, *address};
}

ExitCode value(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.recording);
  const std::optional<StoppedReplay> stopped = stop_replay(recording, options.at);
  if (!stopped) return ExitCode::kNothingFound;
  if (!stopped->model) {
    throw UserError("variables are not known of a program that was recorded as it is",
                    "compile it with culprit-cc and record it again");
  }
  const Frame frame = chosen_frame(*stopped, options.frame);
  const SymbolAddresses symbols(stopped->build.executable, stopped->session.process_id());
  const program::ObjectLookup lookup = [&](std::string_view name) {
    return object_named(*stopped, frame, symbols, name);
  };
  const program::MemoryReader memory = [&](uint64_t address, size_t bytes) -> std::optional<std::vector<std::byte>> {
    std::vector<std::byte> contents(bytes);
    if (!stopped->session.read_memory(address, contents)) return std::nullopt;
    return contents;
  };
  nlohmann::ordered_json found;
  for (const std::string& each : options.expressions) {
    const std::string text = program::value_of_expression(*stopped->model, each, lookup, memory);
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
