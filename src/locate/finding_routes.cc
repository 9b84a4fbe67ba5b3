#include "locate/finding_routes.h"

#include <algorithm>

#include "locate/failure.h"
#include "locate/graph_nodes.h"
#include "locate/run_values.h"
#include "locate/statement_values_text.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::OperationKind;

constexpr size_t kMostRoutes = 3;        // of the best findings, beside that of the value
constexpr size_t kMostInstances = 1000;  // of a branch that was switched at later executions, too

const char* word_of(RouteLink link) {
  switch (link) {
    case RouteLink::kStart:
      return "start";
    case RouteLink::kPassed:
      return "passed";
    case RouteLink::kComputed:
      return "computed";
    case RouteLink::kChosen:
      return "chosen";
    case RouteLink::kExecuted:
      return "executed";
    case RouteLink::kLeftOut:
      return "left-out";
    case RouteLink::kKept:
      return "kept";
  }
  return "";
}

/// All that a statement did in one execution of its block. A call's transfer is what its callee depends on.
std::vector<Node> nodes_of(const DependenceGraph& graph, Execution execution, uint32_t statement) {
  std::vector<Node> nodes;
  for (const uint32_t operation : graph.model().operations_of(graph.block_of(execution))) {
    if (graph.model().operation(operation).statement != statement) continue;
    const Node node = Node::of(execution, operation);
    const OperationKind kind = graph.model().operation(operation).kind;
    // What only leads up to a write or a call was there before it.
    if (kind == OperationKind::kCall) nodes.push_back(node.as_transfer());
    if (kind == OperationKind::kCall || kind == OperationKind::kStore || kind == OperationKind::kUpdate ||
        kind == OperationKind::kCopyMemory || kind == OperationKind::kSetMemory)
      nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

std::optional<RouteStart> start_of(const FailureSlice& slice, const CriticalBranch& branch) {
  RouteStart start;
  if (branch.scope == format::SwitchScope::kInstance) {
    if (const Node node = slice.run->branch(branch.instance); node != depend::kNoNode) start.nodes.push_back(node);
  } else {
    for (uint64_t each = branch.instance; start.nodes.size() < kMostInstances; ++each) {
      const Node node = slice.run->branch(each);
      if (node == depend::kNoNode) break;
      if (slice.run->graph().block_of(node.execution()) == branch.block) start.nodes.push_back(node);
    }
  }
  if (start.nodes.empty()) return std::nullopt;
  const program::Indices edges = slice.run->graph().model().edges_of(branch.block);
  if (branch.other_way < edges.size()) start.other_edge = edges[branch.other_way];
  return start;
}

std::optional<RouteStart> start_of(const FailureSlice& slice, const CriticalStatement& critical) {
  const DependenceGraph& graph = slice.run->graph();
  const StatementExecution& wanted = critical.execution;
  const uint32_t block = graph.model().block_of_statement(wanted.statement);
  // The latest execution of the block by its activation before the next branch is decided.
  const Node next = slice.run->branch(wanted.instance + 1);
  for (Execution each = next == depend::kNoNode ? graph.executions() : next.execution() + 1; each-- > 0;) {
    const depend::BlockExecution execution = graph.execution(each);
    if (execution.frame != wanted.frame || execution.block != block) continue;
    std::vector<Node> nodes = nodes_of(graph, each, wanted.statement);
    if (nodes.empty()) return std::nullopt;
    return RouteStart{.nodes = std::move(nodes)};
  }
  return std::nullopt;
}

RouteStart start_of(const CriticalValue& critical) {
  return {.nodes = {critical.node}};
}

void add_routes(const program::ProgramModel& model, const FailureSlice& slice, std::vector<LocatedFinding>& findings) {
  std::vector<RouteStart> starts;
  std::vector<report::Finding*> having;
  size_t others = 0;
  for (LocatedFinding& each : findings) {
    const bool is_value = each.finding.kind == "value-origin";
    if (!each.finding.proved || !each.start || (!is_value && others == kMostRoutes)) continue;
    const bool again = std::any_of(having.begin(), having.end(), [&](const report::Finding* other) {
      return other->place.file == each.finding.place.file && other->place.line == each.finding.place.line;
    });
    if (again) continue;
    others += is_value ? 0 : 1;
    starts.push_back(*each.start);
    having.push_back(&each.finding);
  }
  const DependenceGraph& graph = slice.run->graph();
  const std::vector<Route> routes = routes_to_failure(graph, slice.failed, starts);
  const auto execution_of = [&](const RouteStep& step) {
    return graph.execution_of(model.block_of_statement(step.statement), step.instance);
  };
  std::vector<bool> executions(graph.executions());
  for (const Route& route : routes) {
    for (const RouteStep& step : route) {
      if (step.instance != 0) executions[execution_of(step)] = true;
    }
  }
  const RunValues values(slice.run->trace(), executions);
  for (size_t each = 0; each < routes.size(); ++each) {
    having[each]->route.emplace();
    for (const RouteStep& step : routes[each]) {
      std::string value;
      // Of the last step, what the failing call returned would be no news.
      if (step.instance != 0 && &step != &routes[each].back()) {
        value = line_values_text(graph, step.statement, execution_of(step), values);
      }
      having[each]->route->push_back({.place = place_of_statement(model, step.statement),
                                      .how = word_of(step.link),
                                      .instance = graph.begins_late() ? 0 : step.instance,
                                      .value = std::move(value)});
    }
  }
}

}  // namespace culprit
