// `culprit slice`: what a value depends on, or what depends on it.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/temporary_directory.h"
#include "build/builder.h"
#include "cli/command.h"
#include "cli/crash_place.h"
#include "cli/make_trace.h"
#include "cli/output_position.h"
#include "cli/slice_view.h"
#include "depend/criterion.h"
#include "depend/slice.h"
#include "depend/slice_text.h"
#include "depend/value_chain.h"
#include "recording/place.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using depend::DependenceGraph;
using depend::Node;

struct Options {
  std::vector<std::string> words;  ///< a trace's folder, or a program and its arguments
  std::string at;
  std::string variable;
  std::string memory;
  std::string from;
  bool crash = false;
  bool forward = false;
  bool no_control = false;
  bool no_address = false;
  bool value_chain = false;
  std::vector<std::string> prune_functions;
  std::string html;
  bool tree = false, as_json = false, as_dot = false, no_edges = false;
  uint64_t depth = 6;
};

/// `ADDRESS[+BYTES]`.
std::vector<Node> memory_criterion(const std::string& range, const trace::TraceFile& trace,
                                   const DependenceGraph& graph, const depend::Moment& moment) {
  const size_t plus = range.find('+');
  const std::optional<uint64_t> address = number_in(range.substr(0, plus));
  const std::optional<uint64_t> bytes = plus == std::string::npos ? 1 : number_in(range.substr(plus + 1));
  if (!address || !bytes || *bytes == 0) {
    throw UserError(fmt::format("'{}' is no range of memory", range), "write ADDRESS+BYTES, e.g. 0x55550040+8");
  }
  return memory_value(trace, graph, moment, *address, *bytes);
}

std::vector<Node> criterion_of(const Options& options, const trace::TraceFile& trace, const DependenceGraph& graph) {
  if (options.crash) {
    if (graph.last() == depend::kNoNode) throw UserError("the trace is empty", "trace a run of the program");
    return {graph.last()};
  }
  if (options.at.empty()) throw UserError("no place is given", "--at FILE:LINE[#INSTANCE], --at stdout:N, or --crash");
  if (const auto output = output_position(options.at)) return output_byte(graph, output->first, output->second);
  const depend::Moment moment = find_moment(graph, program::parse_source_position(options.at));
  fmt::print(stderr, "culprit: {}, execution {} of {}\n", graph.model().position_text(moment.statements.front()),
             moment.instance, moment.instances);
  if (!options.memory.empty()) return memory_criterion(options.memory, trace, graph, moment);
  if (options.variable.empty()) return values_used(graph, moment);
  return variable_value(trace, graph, moment, options.variable);
}

depend::SliceOptions slice_options(const Options& options, const DependenceGraph& graph) {
  depend::SliceOptions result;
  result.control = !options.no_control;
  result.address = !options.no_address;
  std::vector<uint32_t> pruned;
  for (const std::string& name : options.prune_functions) {
    const std::vector<uint32_t> found = program::find_functions(graph.model(), name);
    pruned.insert(pruned.end(), found.begin(), found.end());
  }
  if (!pruned.empty()) {
    result.prune = [pruned, &graph](uint32_t operation) {
      const uint32_t function = graph.model().function_of_block(graph.layout().block_of[operation]);
      return std::find(pruned.begin(), pruned.end(), function) != pruned.end();
    };
  }
  return result;
}

std::string command_of(const Options& options) {
  std::string command = fmt::format("{}", fmt::join(options.words, " "));
  if (options.crash) command += " --crash";
  if (!options.at.empty()) command += " --at " + options.at;
  if (!options.variable.empty()) command += " --var " + options.variable;
  return command;
}

depend::Slice slice_of(const Options& options, const DependenceGraph& graph, const std::vector<Node>& criterion,
                       const depend::SliceOptions& what) {
  if (!options.from.empty()) {
    const depend::Moment from = find_moment(graph, program::parse_source_position(options.from));
    return depend::chop(graph, values_used(graph, from), criterion, what);
  }
  return options.forward ? depend::forward_slice(graph, criterion, what)
                         : depend::backward_slice(graph, criterion, what);
}

ExitCode answer(const Options& options, const trace::TraceFile& trace) {
  const DependenceGraph graph = depend::open_graph(trace);
  const std::vector<Node> criterion = criterion_of(options, trace, graph);
  const depend::SliceOptions what = slice_options(options, graph);
  if (options.value_chain) {
    for (const Node node : criterion) fmt::print("{}", depend::chain_text(graph, depend::value_chain(graph, node)));
    return criterion.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
  }
  if (options.tree) {
    fmt::print("{}", depend::tree_text(graph, criterion, what, options.depth));
    return ExitCode::kAnswered;
  }
  const depend::Slice slice = slice_of(options, graph, criterion, what);
  if (!options.html.empty()) {
    std::optional<RunValues> values;
    if (trace.contents() == format::TraceContents::kValues) values.emplace(trace, executions_of(graph, slice));
    write_file_atomically(options.html, report::to_html(slice_view(graph, slice, criterion, what, options.forward,
                                                                   command_of(options), values ? &*values : nullptr)));
  }
  if (options.as_json) {
    fmt::print("{}", depend::slice_json(graph, slice, what, !options.no_edges));
  } else if (options.as_dot) {
    fmt::print("{}", depend::slice_dot(graph, slice, what));
  } else {
    fmt::print("{}", depend::slice_text(graph, slice));
  }
  return slice.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

ExitCode slice_trace(Options options, const fs::path& folder, bool recorded) {
  const trace::TraceFile trace(folder);
  if (recorded && options.crash && trace.wait_signal() != 0) {
    options.at = kept_place_of_crash(options.words.front(), folder);
    options.crash = false;
  }
  return answer(options, trace);
}

void say_how_it_ended(int signal) {
  if (signal != 0) fmt::print(stderr, "culprit: the program was ended by signal {}\n", signal);
}

ExitCode slice(const Options& options) {
  if (options.words.empty()) {
    throw UserError("neither a trace nor a recording nor a program is given",
                    "culprit slice NAME --at FILE:LINE, or culprit slice --at FILE:LINE -- PROGRAM ARGUMENTS");
  }
  const std::string& name = options.words.front();
  if (fs::exists(fs::path(name) / trace::kChunksFile)) return slice_trace(options, name, false);
  if (options.words.size() == 1 && recording::recording_named(name)) {
    const recording::Recording recording = recording::open_recording(name);
    if (const std::optional<fs::path> kept = kept_trace(recording)) return slice_trace(options, *kept, true);
    const TemporaryDirectory own(temporary_place("slice"));
    const recording::NoStreams nowhere;
    make_trace_of_recording(recording, own.path(), nowhere.surroundings());
    return slice_trace(options, own.path(), true);
  }
  const TemporaryDirectory own(temporary_place("slice"));
  say_how_it_ended(make_trace(options.words, own.path()).end.signal);
  return slice_trace(options, own.path(), false);
}

const Registration kRegistration{Command{
    .name = "slice",
    .summary = "Show what a value depends on, or what depends on it",
    .description = "Takes a trace that `culprit trace` made, or a recording, or runs PROG and traces it. The slice of "
                   "the values that "
                   "are used at\n"
                   "a place, of one variable or of memory there, of a byte that was put out, or of where the run "
                   "ended: every statement that had a part in "
                   "them, by data, by\n"
                   "choosing which memory is meant, or by deciding that a statement runs. A place is FILE:LINE with #N "
                   "for its N-th\n"
                   "execution; without it the last one is meant.",
    .examples = {{"culprit slice --at parse.c:88 --var n -- ./prog file", "runs ./prog; what made n"},
                 {"culprit slice t --crash --tree", "what led to the end of the run, as a tree"},
                 {"culprit slice t --at stdout:123", "what made byte 123 of the output, counted from 0"},
                 {"culprit slice t --at parse.c:88#3 --var n --value-chain", "where the value was made"},
                 {"culprit slice t --crash --html slice.html", "a page to click from uses to definitions"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("trace", options->words, "a trace's folder, a recording, or a program and its arguments after --");
      app.add_option("--at", options->at,
                     "FILE:LINE[:COLUMN][#INSTANCE], or stdout:N or stderr:N for a byte of the output");
      app.add_option("--var", options->variable, "one variable at that place");
      app.add_option("--memory", options->memory, "the bytes ADDRESS+BYTES before that place");
      app.add_flag("--crash", options->crash,
                   "where the run ended; exact of a recording, else as far as the trace tells");
      app.add_flag("--forward,!--backward", options->forward, "what depends on it (default: what it depends on)");
      app.add_option("--from", options->from, "only what lies between this place and the criterion (a chop)");
      app.add_flag("--no-control", options->no_control, "without what decided that statements run");
      app.add_flag("--no-address", options->no_address, "without what chose the memory that is accessed");
      app.add_flag("--value-chain", options->value_chain, "only how the value came there by copies");
      app.add_option("--prune", options->prune_functions, "leave a function out, with all that is reached through it");
      app.add_flag("--tree", options->tree, "as a tree from the criterion");
      app.add_option("--depth", options->depth, "of the tree");
      app.add_option(
          "--html", options->html,
          "write a page to walk the slice in: sources, marks, what depends on what, and of a trace made with "
          "--values what was stored");
      app.add_flag("--json", options->as_json, "statement instances and their dependences as JSON");
      app.add_flag("--no-edges", options->no_edges, "of JSON: the statement instances alone");
      app.add_flag("--dot", options->as_dot, "as a graph for dot");
      return [options] { return slice(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
