// `culprit dump graph`: the dependence graph that is kept with a trace.

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "cli/asked_trace.h"
#include "cli/command.h"
#include "depend/dependence_graph.h"
#include "depend/slice_text.h"

namespace culprit::cli {
namespace {

using depend::DependenceGraph;

struct Options {
  std::string folder;
  bool lines = false, edges = false, unwritten = false, races = false, heap = false, waits = false;
};

void print_sizes(const DependenceGraph& graph) {
  const depend::GraphFile& file = graph.file();
  uint64_t slots = 0, far = 0;
  for (size_t chunk = 0; chunk < file.chunks(); ++chunk) {
    slots += file.record(chunk).slots;
    far += file.record(chunk).far;
  }
  fmt::print("bytes {}\nchunks {}\nblock executions {}\nnodes {}\nslots {}\nfar sources {}\nactivations {}\n",
             file.bytes(), file.chunks(), graph.executions(), file.numbers(), slots, far, graph.frames());
  fmt::print("standard output {}\nstandard error {}\n", graph.output_bytes(depend::OutputStream::kStandardOutput),
             graph.output_bytes(depend::OutputStream::kStandardError));
  if (!graph.unknown_calls().empty())
    fmt::print("calls of functions that nobody describes:\n{}", graph.unknown_calls());
}

/// Of a line, as often as the most executed of its blocks: what `--at FILE:LINE#N` counts.
void print_lines(const DependenceGraph& graph) {
  std::map<uint32_t, uint64_t> executions;
  for (size_t chunk = 0; chunk < graph.file().chunks(); ++chunk) {
    for (const format::GraphCount& count : graph.file().counts(chunk)) executions[count.block] += count.executions;
  }
  const program::ProgramModel& model = graph.model();
  std::map<std::pair<std::string, uint32_t>, uint64_t> lines;
  for (const uint32_t statement : model.statements()) {
    const auto executed = executions.find(model.block_of_statement(statement));
    const uint32_t line = model.statement(statement).line;
    if (executed == executions.end() || line == 0) continue;
    uint64_t& most = lines[{model.path_of_statement(statement), line}];
    most = std::max(most, executed->second);
  }
  for (const auto& [place, count] : lines) fmt::print("{:>10} {}:{}\n", count, place.first, place.second);
}

/// Each statement that made something of a variable's value before there was one, with the variable and how often.
void print_unwritten(const DependenceGraph& graph) {
  const program::ProgramModel& model = graph.model();
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> reads;
  for (const format::GraphUnwritten& each : graph.file().unwritten()) {
    const depend::Node node = graph.node_of({each.read});
    if (each.variable >= model.sections().variables.size()) continue;
    ++reads[{model.operation(node.operation()).statement, each.variable}];
  }
  for (const auto& [read, count] : reads) {
    const auto& [statement, variable] = read;
    fmt::print("{:>10} {} reads {}, declared at line {}, before it is written\n", count, model.position_text(statement),
               model.text(model.variable(variable).name), model.variable(variable).line);
  }
}

/// Each pair of statements, the one that came first first.
void print_races(const DependenceGraph& graph) {
  const program::ProgramModel& model = graph.model();
  const auto text = [&](uint64_t number, bool writes) {
    const uint32_t statement = model.operation(graph.node_of({number}).operation()).statement;
    return fmt::format("{} {}", model.position_text(statement), writes ? "writes" : "reads");
  };
  for (const format::GraphRace& each : graph.file().races()) {
    fmt::print("{:>10} {}, {} the same memory\n", each.count,
               text(each.first, (each.flags & format::kGraphRaceFirstWrites) != 0),
               text(each.second, (each.flags & format::kGraphRaceSecondWrites) != 0));
  }
}

void print_misuses(const DependenceGraph& graph) {
  const program::ProgramModel& model = graph.model();
  const auto place = [&](uint64_t number) -> std::string {
    if (number == format::kGraphNoNumber) return "?";
    return model.position_text(model.operation(graph.node_of({number}).operation()).statement);
  };
  for (const format::GraphMisuse& each : graph.file().misuses()) {
    const char* what = (each.flags & format::kGraphMisuseReleases) != 0 ? "gives back"
                       : (each.flags & format::kGraphMisuseWrites) != 0 ? "writes"
                                                                        : "reads";
    const auto byte = static_cast<int64_t>(each.address - each.block);
    if (each.variable < model.sections().variables.size()) {
      fmt::print("{:>10} {} {} byte {} of {}, which has {} bytes\n", each.count, place(each.node), what, byte,
                 model.text(model.variable(each.variable).name), each.bytes);
      continue;
    }
    if ((each.flags & format::kGraphMisuseOfDeadStack) != 0) {
      fmt::print("{:>10} {} {} memory of the stack that belongs to no function\n", each.count, place(each.node), what);
      continue;
    }
    const bool of_freed = (each.flags & format::kGraphMisuseOfFreed) != 0;
    fmt::print("{:>10} {} {} byte {} of a block of {} bytes, allocated at {}{}{}\n", each.count, place(each.node), what,
               byte, each.bytes, place(each.allocated), of_freed ? ", freed at " : "",
               of_freed ? place(each.freed) : "");
  }
}

void print_waits(const DependenceGraph& graph) {
  const program::ProgramModel& model = graph.model();
  for (const format::GraphWait& each : graph.file().waits()) {
    const std::string place = model.position_text(model.operation(graph.node_of({each.node}).operation()).statement);
    switch (each.kind) {
      case format::GraphWaitKind::kWaits:
        fmt::print("thread {} waits at {}\n", each.thread, place);
        break;
      case format::GraphWaitKind::kHolds:
        fmt::print("thread {} holds {:#x}, taken at {}\n", each.thread, each.address, place);
        break;
      case format::GraphWaitKind::kReleases:
        fmt::print("thread {} let others go on at {:#x}, at {}\n", each.thread, each.address, place);
        break;
      case format::GraphWaitKind::kChanges:
        fmt::print("thread {} had read {:#x} before it waits, written since at {}\n", each.thread, each.address, place);
        break;
    }
  }
}

/// Every statement instance with what it depends on directly; which execution of its block an instance is, from 1.
void print_edges(const DependenceGraph& graph) {
  const program::ProgramModel& model = graph.model();
  std::vector<uint64_t> executed(graph.layout().slots.size()), number(graph.executions());
  for (depend::Execution each = 0; each < graph.executions(); ++each) number[each] = ++executed[graph.block_of(each)];
  const auto text = [&](depend::Node node) {
    return fmt::format("{}#{}", model.operation(node.operation()).statement, number[node.execution()]);
  };
  for (depend::Execution each = 0; each < graph.executions(); ++each) {
    std::map<std::string, std::set<std::string>> sources;
    const uint32_t block = graph.block_of(each);
    for (uint32_t at = graph.layout().first_node[block]; at < graph.layout().first_node[block + 1]; ++at) {
      const depend::Node node = depend::Node::of(each, graph.layout().nodes[at].operation);
      std::set<std::string>& its = sources[text(node)];
      graph.for_each_edge(node, [&](const depend::Edge& edge) {
        its.insert(fmt::format("{}:{}", depend::name_of(edge.kind), text(edge.to)));
      });
    }
    for (const auto& [instance, its] : sources) fmt::print("{} {}\n", instance, fmt::join(its, " "));
  }
}

ExitCode dump(const Options& options) {
  const trace::TraceFile trace(options.folder);
  const DependenceGraph graph = graph_of(trace);
  graph.file().check_all();
  print_sizes(graph);
  if (options.lines) print_lines(graph);
  if (options.edges) print_edges(graph);
  if (options.unwritten) print_unwritten(graph);
  if (options.races) print_races(graph);
  if (options.heap) print_misuses(graph);
  if (options.waits) print_waits(graph);
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "dump graph",
    .summary = "Show the dependence graph of a trace",
    .description =
        "Prints the sizes of the dependence graph that is kept with a trace, and makes it first where there is\n"
        "none. All of the file is checked.",
    .examples = {{"culprit dump graph t", "sizes"},
                 {"culprit dump graph t --lines", "also how often each source line was executed"},
                 {"culprit dump graph t --edges", "also all dependences, as STATEMENT#EXECUTION KIND:…"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("trace", options->folder, "the trace's folder")->required();
      app.add_flag("--lines", options->lines, "how often each source line was executed");
      app.add_flag("--unwritten", options->unwritten, "reads of variables that nothing was written to");
      app.add_flag("--heap", options->heap,
                   "accesses to the heap outside of blocks that are in use, to more than a variable has, and to "
                   "variables that are no more");
      app.add_flag("--waits", options->waits, "of a trace that ends while threads wait: for whom, and who holds what");
      app.add_flag("--races", options->races, "accesses of two threads to the same memory that nothing orders");
      app.add_flag("--edges", options->edges, "what each statement instance depends on directly");
      return [options] { return dump(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
