// `culprit inputs`: which bytes of the inputs a value comes from, and which decided on it.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/temporary_directory.h"
#include "cli/asked_trace.h"
#include "cli/command.h"
#include "cli/crash_place.h"
#include "cli/output_position.h"
#include "depend/criterion.h"
#include "depend/inputs_text.h"
#include "depend/relevant_inputs.h"
#include "recording/place.h"
#include "recording/recorded_inputs.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using depend::DependenceGraph;
using depend::InputValue;
using depend::NodeNumber;
using depend::OutputStream;

struct Options {
  std::string name;  ///< a recording or a trace's folder
  std::string at;
  std::string variable;
  bool crash = false;
  bool all = false;
  bool as_json = false;
};

InputValue of_place(const Options& options, const trace::TraceFile& trace, const DependenceGraph& graph,
                    depend::RelevantInputs& inputs) {
  const depend::Moment moment = find_moment(graph, program::parse_source_position(options.at));
  fmt::print(stderr, "culprit: {}, execution {} of {}\n", graph.model().position_text(moment.statements.front()),
             moment.instance, moment.instances);
  if (!options.variable.empty()) return inputs.of(variable_sources(trace, graph, moment, options.variable));
  return inputs.of(values_made(graph, values_used(graph, moment)));
}

/// Of all bytes that the last call to put something out there did.
std::optional<InputValue> of_last_output(const DependenceGraph& graph, OutputStream stream,
                                         depend::RelevantInputs& inputs) {
  const uint64_t end = graph.output_bytes(stream);
  if (end == 0) return std::nullopt;
  const auto call_of = [&](uint64_t offset) { return graph.output_sources(stream, offset).back(); };
  uint64_t first = end;
  while (first > 0 && !graph.output_sources(stream, first - 1).empty() && call_of(first - 1) == call_of(end - 1))
    --first;
  return inputs.of_output(stream, first, end);
}

/// What was asked for, else where the run crashed, else what it put out last.
InputValue value_of(const Options& options, const trace::TraceFile& trace, const DependenceGraph& graph,
                    depend::RelevantInputs& inputs) {
  if (const auto output = output_position(options.at)) {
    (void)output_byte(graph, output->first, output->second);  // says what is wrong with it
    return inputs.of_output(output->first, output->second, output->second + 1);
  }
  if (!options.at.empty()) return of_place(options, trace, graph, inputs);
  if (options.crash || trace.wait_signal() != 0) {
    if (graph.last() == depend::kNoNode) throw UserError("the trace is empty", "trace a run of the program");
    return inputs.of(std::vector<NodeNumber>{graph.number_of(graph.last())});
  }
  for (const OutputStream stream : {OutputStream::kStandardOutput, OutputStream::kStandardError}) {
    if (const auto value = of_last_output(graph, stream, inputs)) return *value;
  }
  throw UserError("no place is given, and the run neither crashed nor put out anything",
                  "--at FILE:LINE[#INSTANCE] [--var NAME], or --at stdout:N");
}

ExitCode answer(const Options& options, const fs::path& folder, const recording::Recording* recording) {
  const trace::TraceFile trace(folder);
  const DependenceGraph graph = graph_of(trace);
  depend::RelevantInputs inputs(graph);
  const InputValue value = value_of(options, trace, graph, inputs);
  std::optional<recording::RecordedInputs> recorded;
  if (recording) recorded = recording::recorded_inputs(*recording);
  const depend::InputPlaces places(graph, trace, recorded ? &*recorded : nullptr);
  if (options.as_json) {
    fmt::print("{}", depend::inputs_json(graph, places, inputs.values(), value));
  } else {
    const depend::InputsStyle style{.most_ranges = options.all ? size_t{0} : depend::InputsStyle{}.most_ranges};
    fmt::print("{}", depend::inputs_text(graph, places, inputs.values(), value, style));
  }
  return value == depend::kNoInput ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

ExitCode of_recording(Options options, const recording::Recording& recording, const fs::path& folder) {
  const bool at_crash = options.at.empty() && recording.manifest.exit_signal != 0;
  if (at_crash || options.crash) options.at = kept_place_of_crash(options.name, folder);
  return answer(options, folder, &recording);
}

ExitCode inputs(const Options& options) {
  if (fs::exists(fs::path(options.name) / trace::kChunksFile)) return answer(options, options.name, nullptr);
  const recording::Recording recording = recording::open_recording(options.name);
  const TemporaryDirectory own(temporary_place("inputs"));
  // Inputs are mostly read at the beginning.
  const AskedTrace asked = asked_trace(recording, place_of_traces(recording, own.path()), AskedPart::kAll);
  return of_recording(options, recording, asked.folder);
}

const Registration kRegistration{Command{
    .name = "inputs",
    .summary = "Show which bytes of the inputs a value comes from",
    .description =
        "Takes a recording, or a trace that `culprit trace` made. Of a value at a place, of a byte that was put "
        "out, of where the run\n"
        "crashed, or else of what it put out last: the bytes of files, standard input, arguments, environment "
        "and network that it is\n"
        "derived from, those that decided that it was computed, and those that chose the memory it came "
        "through. `=` marks bytes of\n"
        "which the precise value matters: another would have given another value, or another way through the "
        "program. A trace alone\n"
        "does not know what is in the inputs. A place is FILE:LINE with #N for its N-th execution; without it "
        "the last one is meant.",
    .examples = {{"culprit inputs rec", "what the crash, or the last output, comes from"},
                 {"culprit inputs rec --at parse.c:88#3 --var n", "which bytes made n there"},
                 {"culprit inputs rec --at stdout:123 --json", "of byte 123 of the output"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("recording", options->name, "a recording, or a trace's folder");
      app.add_option("--at", options->at,
                     "FILE:LINE[:COLUMN][#INSTANCE], or stdout:N or stderr:N for a byte of the output");
      app.add_option("--var", options->variable, "one variable at that place");
      app.add_flag("--crash", options->crash, "where the run crashed, or ended");
      app.add_flag("--all", options->all, "every range of bytes, not only the first 20 of each kind");
      app.add_flag("--json", options->as_json, "ranges and chains as JSON");
      return [options] { return inputs(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
