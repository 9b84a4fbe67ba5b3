// `culprit slice`: what a value depends on, or what depends on it.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "base/temporary_directory.h"
#include "build/builder.h"
#include "cli/asked_trace.h"
#include "cli/command.h"
#include "cli/crash_place.h"
#include "cli/expression_place.h"
#include "cli/kept_slices.h"
#include "cli/make_trace.h"
#include "cli/output_position.h"
#include "cli/prune.h"
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
  SliceQuestion question;
  bool value_chain = false;
  std::string html;
  bool tree = false, as_json = false, as_dot = false, no_edges = false, no_instances = false;
  uint64_t depth = 6;
  bool list = false;
  uint64_t number = 0, forget = 0;  ///< of kept slices; 0: none

  depend::SliceDetail detail() const {
    if (no_instances) return depend::SliceDetail::kStatements;
    return no_edges ? depend::SliceDetail::kInstances : depend::SliceDetail::kEdges;
  }
};

/// What is asked about: a trace, and the recording that it is of, if any.
struct Asked {
  const trace::TraceFile& trace;
  const recording::Recording* recording = nullptr;
  bool is_end = false;  ///< of a long run the last part alone
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

/// The memory that an expression means at a moment, where a replay goes to look.
std::vector<Node> expression_criterion(const SliceQuestion& question, const Asked& asked, const DependenceGraph& graph,
                                       const depend::Moment& moment) {
  if (!asked.recording) {
    throw UserError("what an expression means is known of a recording only",
                    "culprit record PROG, then culprit slice NAME --at … --expr …; or --var, or --memory");
  }
  if (asked.is_end) {
    throw UserError("in a long run the replay needs to know which execution is meant", "write it: --at FILE:LINE#N");
  }
  const std::string point = fmt::format("{}#{}", question.at.substr(0, question.at.find('#')), moment.instance);
  const std::optional<StoppedReplay> stopped = stop_replay(*asked.recording, point);
  if (!stopped) throw UserError("the replay does not get to " + point, "name another place");
  const ExpressionPlace place(*stopped, 0);
  const auto [address, bytes] =
      memory_of_expression(place.model(), question.expression, place.lookup(), place.memory());
  return memory_value(asked.trace, graph, moment, address, bytes);
}

/// Says which execution it is.
depend::Moment moment_of(const std::string& at, const Asked& asked, const DependenceGraph& graph) {
  const program::SourcePosition position = program::parse_source_position(at);
  program::find_statements(graph.model(), position);  // says where there is none, however long the run
  try {
    depend::Moment moment = find_moment(graph, position);
    const std::string which =
        asked.is_end ? "its last execution" : fmt::format("execution {} of {}", moment.instance, moment.instances);
    fmt::print(stderr, "culprit: {}, {}\n", graph.model().position_text(moment.statements.front()), which);
    return moment;
  } catch (const UserError& error) {
    if (!asked.is_end) throw;
    throw UserError(
        fmt::format("in the last part of this long run {}", error.what()),
        "name an execution, FILE:LINE#N, which takes all of the run; or trace the part that it is in: culprit "
        "trace --from POINT --to POINT NAME",
        error.code());
  }
}

std::vector<Node> criterion_of(const SliceQuestion& question, const Asked& asked, const DependenceGraph& graph) {
  if (question.crash) {
    if (graph.last() == depend::kNoNode) throw UserError("the trace is empty", "trace a run of the program");
    return {graph.last()};
  }
  if (question.at.empty()) throw UserError("no place is given", "--at FILE:LINE[#INSTANCE], --at stdout:N, or --crash");
  if (const auto output = output_position(question.at)) return output_byte(graph, output->first, output->second);
  const depend::Moment moment = moment_of(question.at, asked, graph);
  if (!question.expression.empty()) return expression_criterion(question, asked, graph, moment);
  if (!question.memory.empty()) return memory_criterion(question.memory, asked.trace, graph, moment);
  if (question.variable.empty()) return values_used(graph, moment);
  return variable_value(asked.trace, graph, moment, question.variable);
}

depend::Slice slice_of(const SliceQuestion& question, const DependenceGraph& graph, const std::vector<Node>& criterion,
                       const depend::SliceOptions& what) {
  if (!question.from.empty()) {
    const depend::Moment from = find_moment(graph, program::parse_source_position(question.from));
    return depend::chop(graph, values_used(graph, from), criterion, what);
  }
  return question.forward ? depend::forward_slice(graph, criterion, what)
                          : depend::backward_slice(graph, criterion, what);
}

/// A slice may lack what went through a function of which nothing is known.
void say_what_is_unknown(const DependenceGraph& graph) {
  const std::string_view unknown = graph.unknown_calls();
  const auto functions = std::count(unknown.begin(), unknown.end(), '\n');
  if (functions == 0) return;
  fmt::print(stderr,
             "culprit: the run called {} function{} of libraries that nothing describes: what they wrote is not in the "
             "slice; culprit dump graph lists them\n",
             functions, functions == 1 ? "" : "s");
}

/// Of a part of a run: where the slice would go on before it.
void say_what_came_before(const DependenceGraph& graph, const depend::Slice& slice) {
  constexpr size_t kMostTold = 3;
  const std::vector<uint32_t> reads = depend::reads_without_source(graph, slice);
  if (reads.empty()) return;
  std::vector<std::string> places;
  for (size_t each = 0; each < std::min(reads.size(), kMostTold); ++each) {
    places.push_back(graph.model().position_text(reads[each]));
  }
  fmt::print(stderr, "culprit: {} of its statements read what nothing wrote in this part: {}{}\n", reads.size(),
             fmt::join(places, ", "), reads.size() > kMostTold ? ", …" : "");
}

/// `counts`: of the slice's instances, by statement.
void keep(const SliceQuestion& question, const Asked& asked, const std::vector<uint64_t>& counts) {
  if (!asked.recording || ::access(asked.recording->directory.c_str(), W_OK) != 0) return;
  const auto statements = counts.size() - static_cast<size_t>(std::count(counts.begin(), counts.end(), uint64_t{0}));
  const uint64_t instances = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  fmt::print(stderr, "culprit: slice {}\n", keep_slice(asked.recording->directory, question, statements, instances));
}

/// `question`: what to answer; options.question is what was asked.
ExitCode answer(const Options& options, const SliceQuestion& question, const Asked& asked) {
  const DependenceGraph graph = graph_of(asked.trace);
  const std::vector<Node> criterion = criterion_of(question, asked, graph);
  const depend::SliceOptions what{
      .address = !question.no_address, .control = !question.no_control, .prune = pruned_by(question.prune, graph)};
  if (options.value_chain) {
    for (const Node node : criterion) fmt::print("{}", depend::chain_text(graph, depend::value_chain(graph, node)));
    return criterion.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
  }
  if (options.tree) {
    fmt::print("{}", depend::tree_text(graph, criterion, what, options.depth));
    return ExitCode::kAnswered;
  }
  const depend::Slice slice = slice_of(question, graph, criterion, what);
  if (!options.html.empty()) {
    std::optional<RunValues> values;
    if (asked.trace.contents() == format::TraceContents::kValues)
      values.emplace(asked.trace, executions_of(graph, slice));
    const std::string command = fmt::format("{} {}", fmt::join(options.words, " "), text_of(options.question));
    write_file_atomically(options.html, report::to_html(slice_view(graph, slice, criterion, what, question.forward,
                                                                   command, values ? &*values : nullptr)));
  }
  const std::vector<uint64_t> counts = count_instances(graph, slice);
  if (options.as_json) {
    write_slice_json(graph, slice, counts, what, options.detail(),
                     [](std::string_view text) { fmt::print("{}", text); });
  } else if (options.as_dot) {
    fmt::print("{}", depend::slice_dot(graph, slice, what));
  } else {
    fmt::print("{}", depend::slice_text(graph, counts));
  }
  say_what_is_unknown(graph);
  if (asked.is_end && !question.forward) say_what_came_before(graph, slice);
  keep(options.question, asked, counts);
  return slice.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

/// What of the run is asked about: chops and forward slices begin before the end, and executions are counted from the
/// beginning, as bytes of an output are.
AskedPart part_of(const SliceQuestion& question) {
  if (question.forward || !question.from.empty()) return AskedPart::kAll;
  const bool is_last = question.at.find('#') == std::string::npos && !output_position(question.at);
  return question.crash || is_last ? AskedPart::kEnd : AskedPart::kAll;
}

ExitCode slice_trace(const Options& options, const AskedTrace& asked, const recording::Recording* recording) {
  const trace::TraceFile trace(asked.folder);
  SliceQuestion question = options.question;
  if (recording && question.crash && trace.wait_signal() != 0) {
    question.at = kept_place_of_crash(options.words.front(), asked.folder);
    question.crash = false;
  }
  return answer(options, question, {trace, recording, asked.is_end});
}

void say_how_it_ended(int signal) {
  if (signal != 0) fmt::print(stderr, "culprit: the program was ended by signal {}\n", signal);
}

ExitCode list_slices(const fs::path& recording) {
  const std::vector<KeptSlice> slices = kept_slices(recording);
  for (const KeptSlice& each : slices) {
    fmt::print("{:>4}  {:>6} statements {:>9} instances  {}\n", each.number, each.statements, each.instances,
               text_of(each.question));
  }
  return slices.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

ExitCode slice_recording(Options options) {
  const recording::Recording recording = recording::open_recording(options.words.front());
  if (options.list) return list_slices(recording.directory);
  if (options.forget != 0) {
    forget_slice(recording.directory, options.forget);
    return ExitCode::kAnswered;
  }
  if (options.number != 0) options.question = question_of(recording.directory, options.number);
  const TemporaryDirectory own(temporary_place("slice"));
  const AskedTrace asked = asked_trace(recording, place_of_traces(recording, own.path()), part_of(options.question));
  return slice_trace(options, asked, &recording);
}

ExitCode slice(const Options& options) {
  if (options.words.empty()) {
    throw UserError("neither a trace nor a recording nor a program is given",
                    "culprit slice NAME --at FILE:LINE, or culprit slice --at FILE:LINE -- PROGRAM ARGUMENTS");
  }
  const std::string& name = options.words.front();
  if (options.words.size() == 1 && recording::recording_named(name)) return slice_recording(options);
  if (options.list || options.number != 0 || options.forget != 0) {
    throw UserError(fmt::format("{} is no recording, and slices are kept with recordings", name),
                    "culprit record PROG, then culprit slice NAME …");
  }
  if (fs::exists(fs::path(name) / trace::kChunksFile)) return slice_trace(options, {name}, nullptr);
  const TemporaryDirectory own(temporary_place("slice"));
  say_how_it_ended(make_trace(options.words, own.path()).end.signal);
  return slice_trace(options, {own.path()}, nullptr);
}

const Registration kRegistration{Command{
    .name = "slice",
    .summary = "Show what a value depends on, or what depends on it",
    .description =
        "Takes a trace that `culprit trace` made, or a recording, or runs PROG and traces it. The slice of "
        "the values that "
        "are used at\n"
        "a place, of one variable or of memory there, of a byte that was put out, or of where the run "
        "ended: every statement that had a part in "
        "them, by data, by\n"
        "choosing which memory is meant, or by deciding that a statement runs. A place is FILE:LINE with #N "
        "for its N-th\n"
        "execution; without it the last one is meant. Slices of a recording get a number, which is kept with "
        "it, and can\n"
        "be asked for again in any form.",
    .examples = {{"culprit slice --at parse.c:88 --var n -- ./prog file", "runs ./prog; what made n"},
                 {"culprit slice prog-3 --at parse.c:88#3 --expr 'list->head[2].name'",
                  "of a recording: what made that memory"},
                 {"culprit slice t --crash --tree", "what led to the end of the run, as a tree"},
                 {"culprit slice t --at stdout:123", "what made byte 123 of the output, counted from 0"},
                 {"culprit slice t --at parse.c:40#1 --forward", "what depends on the first execution of line 40"},
                 {"culprit slice t --crash --from parse.c:40#1", "how that led to the end: a chop"},
                 {"culprit slice t --crash --prune log_line --prune util.c:10-80 --prune gnulib/ --prune var:total",
                  "without a function, lines, a library's folder, a variable, and what is reached through them only"},
                 {"culprit slice t --at parse.c:88#3 --var n --value-chain", "where the value was made"},
                 {"culprit slice prog-3 --list", "the slices that were asked of prog-3"},
                 {"culprit slice prog-3 --number 2 --html slice.html",
                  "the second of them, as a page to click from uses to definitions"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      SliceQuestion& question = options->question;
      app.add_option("trace", options->words, "a trace's folder, a recording, or a program and its arguments after --");
      app.add_option("--at", question.at,
                     "FILE:LINE[:COLUMN][#INSTANCE], or stdout:N or stderr:N for a byte of the output");
      auto* variable = app.add_option("--var", question.variable, "one variable at that place");
      auto* expression =
          app.add_option("--expr", question.expression, "the memory that a C expression means there, of a recording");
      auto* memory = app.add_option("--memory", question.memory, "the bytes ADDRESS+BYTES before that place");
      variable->excludes(expression)->excludes(memory);
      expression->excludes(memory);
      app.add_flag("--crash", question.crash,
                   "where the run ended; exact of a recording, else as far as the trace tells");
      app.add_flag("--forward,!--backward", question.forward, "what depends on it (default: what it depends on)");
      app.add_option("--from", question.from, "only what lies between this place and the criterion (a chop)");
      app.add_flag("--no-control", question.no_control, "without what decided that statements run");
      app.add_flag("--no-address", question.no_address, "without what chose the memory that is accessed");
      app.add_flag("--value-chain", options->value_chain, "only how the value came there by copies");
      app.add_option(
             "--prune", question.prune,
             "leave out, with all that is reached through it only: FUNCTION, FILE:FIRST-LAST, FOLDER/ (sources), "
             "var:NAME, or libraries (calls of what was not compiled with the program)")
          ->allow_extra_args(false);
      app.add_flag("--tree", options->tree, "as a tree from the criterion");
      app.add_option("--depth", options->depth, "of the tree");
      app.add_option(
          "--html", options->html,
          "write a page to walk the slice in: sources, marks, what depends on what, and of a trace made with "
          "--values what was stored");
      app.add_flag("--json", options->as_json, "statement instances and their dependences as JSON");
      app.add_flag("--no-edges", options->no_edges, "of JSON: the statement instances alone");
      app.add_flag("--no-instances", options->no_instances, "of JSON: the statements alone, with how many instances");
      app.add_flag("--dot", options->as_dot, "as a graph for dot");
      app.add_flag("--list", options->list, "of a recording: the slices that were asked for, with their numbers");
      app.add_option("--number", options->number, "of a recording: the slice of that number again");
      app.add_option("--forget", options->forget, "of a recording: forget the slice of that number");
      return [options] { return slice(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
