// A run that does not end has no failing statement to go back from. What matters are the conditions of its exits: the
// dependences of the last execution of each are compared with those of the one before. A value that was written by the
// same execution of the same statement both times has not been written in between. What is traced is the run's
// beginning: all turns of its loop are alike. Where that does not reach the loop, more of it is.
#include "locate/endless_exits.h"

#include <algorithm>
#include <array>

#include "base/temporary_directory.h"
#include "depend/dependence_graph.h"
#include "depend/value_chain.h"
#include "locate/accessed_variable.h"
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/own_statements.h"
#include "trace/trace_file.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

namespace {

constexpr std::array<uint64_t, 2> kTracedBytes = {uint64_t{6} << 20, uint64_t{128} << 20};
constexpr std::chrono::seconds kTraceTime{8};
constexpr uint64_t kTurns = 3;  // two to compare, and one that may have been cut off
constexpr size_t kMostTested = 6, kMostLooked = 48;
constexpr size_t kMostSkipped = 3;     // writes of a variable
constexpr size_t kMostDecisions = 16;  // looked at for what went past a write

/// A place that a condition has a value from, and who put it there; kNoNode: nobody.
struct Read {
  Node node;
  Node writer = depend::kNoNode;
};

/// Through what computes, up to what was read from memory or given by a function.
std::vector<Read> reads_of(const DependenceGraph& graph, Node from) {
  std::vector<Read> reads;
  std::vector<Node> open = sources_of(graph, from, {OperandRole::kData, OperandRole::kChooses});
  for (size_t next = 0; next < open.size() && next < kMostLooked && reads.size() < kMostTested; ++next) {
    const Node at = open[next];
    const OperationKind kind = kind_of(graph, at);
    if (kind == OperationKind::kLoad || kind == OperationKind::kUpdate) {
      Read read{.node = at};
      graph.for_each_memory_source(at, [&](Node source) {
        if (read.writer == depend::kNoNode || source > read.writer) read.writer = source;
      });
      reads.push_back(read);
    } else if (kind == OperationKind::kCall) {
      reads.push_back({.node = at, .writer = at});
    } else {
      const auto more = sources_of(graph, at, {OperandRole::kData, OperandRole::kChooses});
      open.insert(open.end(), more.begin(), more.end());
    }
  }
  return reads;
}

uint32_t statement_of(const DependenceGraph& graph, Node node) {
  return node == depend::kNoNode ? program::kNone : graph.model().operation(node.operation()).statement;
}

/// What has not been written since `turn` began, of what a write was computed from.
std::vector<uint32_t> unchanged_sources(const DependenceGraph& graph, Node write, depend::Execution turn) {
  std::vector<uint32_t> statements;
  for (const Read& read : reads_of(graph, write)) {
    if (read.writer == depend::kNoNode || read.writer.execution() >= turn) continue;
    const Node made = depend::value_chain(graph, read.writer).back();
    for (const Node each : {read.writer, made}) {
      const uint32_t statement = statement_of(graph, each);
      if (is_own_statement(graph.model(), statement) &&
          std::find(statements.begin(), statements.end(), statement) == statements.end()) {
        statements.push_back(statement);
      }
    }
  }
  return statements;
}

/// A turn of the loop that was traced whole: from one execution of an exit's test up to the next. Where the trace ends,
/// the one that follows was cut anywhere.
struct Turn {
  depend::Execution first, end;
};

/// A block's last execution in a turn.
std::optional<depend::Execution> last_in(const DependenceGraph& graph, uint32_t block, const Turn& turn) {
  uint64_t before = 0, behind = graph.executions_of(block) + 1;  // numbers of executions, from 1
  while (before + 1 < behind) {
    const uint64_t middle = before + (behind - before) / 2;
    (graph.execution_of(block, middle) < turn.end ? before : behind) = middle;
  }
  if (before == 0) return std::nullopt;
  const depend::Execution last = graph.execution_of(block, before);
  return last >= turn.first ? std::optional(last) : std::nullopt;
}

/// The branch, nearest to a block, because of which a turn did not execute it; nothing when it did, or did not come
/// near it.
std::optional<uint32_t> went_past(const DependenceGraph& graph, uint32_t block, const Turn& turn) {
  if (last_in(graph, block, turn)) return std::nullopt;
  std::vector<uint32_t> open = {block};
  for (size_t next = 0; next < open.size() && next < kMostDecisions; ++next) {
    for (const auto& dependence : graph.model().dependences_of(open[next])) {
      const uint32_t branch = graph.model().source_of_edge(dependence.edge);
      if (last_in(graph, branch, turn) && !cleans_up(graph.model(), branch)) return branch;
      if (std::find(open.begin(), open.end(), branch) == open.end()) open.push_back(branch);
    }
  }
  return std::nullopt;
}

/// What would write the variable that an operation reads: what the turn came nearest to, first.
std::vector<SkippedWrite> skipped_writes(const DependenceGraph& graph, uint32_t read, uint32_t variable,
                                         const Turn& turn) {
  const program::ProgramModel& model = graph.model();
  const bool is_global = model.accesses_of(read).front().place == format::PlaceKind::kGlobal;
  const uint32_t function = is_global ? program::kNone : model.function_of_block(model.block_of_operation(read));
  std::vector<SkippedWrite> skipped;
  for (const auto& [block, statement] : writes_of(model, function, variable)) {
    const std::optional<uint32_t> branch = went_past(graph, block, turn);
    if (branch) skipped.push_back({.write = statement, .branch = *branch});
  }
  // A branch that was reached by way of another one went past less than that.
  const auto last = [&](const SkippedWrite& each) { return last_in(graph, each.branch, turn); };
  std::stable_sort(skipped.begin(), skipped.end(),
                   [&](const SkippedWrite& one, const SkippedWrite& other) { return last(one) > last(other); });
  if (skipped.size() > kMostSkipped) skipped.resize(kMostSkipped);
  return skipped;
}

std::vector<TestedValue> tested_by(const DependenceGraph& graph, Node earlier, Node later) {
  const std::vector<Read> before = reads_of(graph, earlier), now = reads_of(graph, later);
  std::vector<TestedValue> tested;
  for (const Read& read : now) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const Read& each) { return each.node.operation() == read.node.operation(); });
    TestedValue value{.read = statement_of(graph, read.node),
                      .is_call = kind_of(graph, read.node) == OperationKind::kCall};
    if (const auto variable = value.is_call ? std::nullopt : accessed_variable(graph.model(), read.node.operation())) {
      value.variable = *variable;
    }
    // What puts the fill there writes nothing.
    const bool is_written =
        read.writer != depend::kNoNode && !unwritten_variable(graph.model(), read.writer.operation());
    if (is_written) value.written = statement_of(graph, read.writer);
    value.again = is_written && (same == before.end() || same->writer != read.writer);
    if (value.again) {
      value.from = unchanged_sources(graph, read.writer, earlier.execution());
    } else if (value.variable != program::kNone) {
      value.skipped =
          skipped_writes(graph, read.node.operation(), value.variable, {earlier.execution(), later.execution()});
    }
    tested.push_back(std::move(value));
  }
  return tested;
}

Node branch_of(const DependenceGraph& graph, uint32_t block, uint64_t instance) {
  return Node::of(graph.execution_of(block, instance), graph.model().operations_of(block).back());
}

/// As examine_exits, of a trace of about so many bytes.
EndlessTurns turns_in_beginning(const Launch& program, const TracedProgram& traced, const EndlessLoop& loop,
                                uint64_t traced_bytes) {
  const TemporaryDirectory folder(temporary_place("hang"));
  const std::filesystem::path place = folder.path() / "trace";
  const auto until = std::chrono::steady_clock::now() + kTraceTime;
  trace_program(traced, program, place, [until, traced_bytes](uint64_t bytes) {
    return bytes > traced_bytes || std::chrono::steady_clock::now() > until;
  });
  const trace::TraceFile trace(place);
  const DependenceGraph graph = depend::open_graph(trace);
  EndlessTurns turns;
  std::vector<Node> criterion;
  for (const uint32_t block : loop.exits) {
    // The very last one may have been cut off.
    LoopExit its{.block = block, .executions = graph.executions_of(block), .tested = {}};
    const bool is_branch =
        !graph.model().operations_of(block).empty() &&
        graph.model().operation(graph.model().operations_of(block).back()).kind == OperationKind::kBranch;
    if (is_branch && its.executions >= kTurns) {
      const Node last = branch_of(graph, block, its.executions - 1);
      its.tested = tested_by(graph, branch_of(graph, block, its.executions - 2), last);
      criterion.push_back(last);
      for (const TestedValue& value : its.tested) {
        for (const SkippedWrite& skipped : value.skipped) {
          criterion.push_back(branch_of(graph, skipped.branch, graph.executions_of(skipped.branch)));
        }
      }
    }
    turns.exits.push_back(std::move(its));
  }
  if (!criterion.empty()) turns.slice = measure_slice(graph, criterion);
  return turns;
}

}  // namespace

bool LoopExit::changes() const {
  return tested.empty() ||
         std::any_of(tested.begin(), tested.end(), [](const TestedValue& each) { return each.again; });
}

EndlessTurns examine_exits(const Launch& program, const TracedProgram& traced, const EndlessLoop& loop) {
  EndlessTurns turns;
  for (const uint64_t bytes : kTracedBytes) {
    turns = turns_in_beginning(program, traced, loop, bytes);
    const auto turned = [](const LoopExit& each) { return each.executions >= kTurns; };
    if (std::any_of(turns.exits.begin(), turns.exits.end(), turned)) break;
  }
  return turns;
}

}  // namespace culprit
