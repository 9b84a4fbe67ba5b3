#include "locate/measured_slice.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "format/operation_format.h"
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/potential_dependences.h"

namespace culprit {

using depend::DependenceGraph;
using depend::EdgeKind;
using depend::Node;
using format::OperationKind;

namespace {

constexpr uint32_t kDecision = 2;           // distance of an edge by which control decided
constexpr uint32_t kNotWritten = 3;         // and of one that kept a variable as it was
constexpr uint64_t kMostNodes = 2'000'000;  // nearest first: what is farther says little
constexpr uint32_t kNearExecutions = 3;     // of a branch

/// Of structures and arrays it is not known that what mattered of them was never written.
void add_unwritten(const DependenceGraph& graph, Node node, std::vector<UnwrittenVariable>& unwritten) {
  const auto variable = unwritten_variable(graph.model(), node.operation());
  if (!variable || !is_scalar(graph.model(), *variable)) return;
  const auto known = std::find_if(unwritten.begin(), unwritten.end(),
                                  [&](const UnwrittenVariable& each) { return each.variable == *variable; });
  if (known == unwritten.end()) unwritten.push_back({.variable = *variable, .begins = node});
}

}  // namespace

std::vector<DependentStatement> nearest_of(std::vector<DependentStatement> one, std::vector<DependentStatement> other) {
  std::vector<DependentStatement> all;
  std::merge(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all),
             [](const auto& left, const auto& right) { return left.distance < right.distance; });
  std::unordered_set<uint32_t> seen;
  std::erase_if(all, [&](const DependentStatement& each) { return !seen.insert(each.statement).second; });
  return all;
}

/// Distances by 0, 1, 2 and 3: one queue for each distance. By numbers and not by nodes, since most sources lie near
/// where they are looked at.
MeasuredSlice measure_slice(const DependenceGraph& graph, const std::vector<Node>& criterion) {
  MeasuredSlice slice;
  std::unordered_map<uint32_t, uint32_t> near_of_block;
  std::unordered_map<uint64_t, uint32_t> distance;
  std::unordered_map<uint32_t, DependentStatement> of_statement;
  std::deque<std::vector<uint64_t>> queues(1);
  const auto reach = [&](uint64_t number, uint32_t at) {
    const auto [known, fresh] = distance.try_emplace(number, at);
    if (!fresh && known->second <= at) return;
    known->second = at;
    while (queues.size() <= at) queues.emplace_back();
    queues[at].push_back(number);
  };
  for (const Node node : criterion) reach(graph.number_of(node).bits, 0);
  const program::ProgramModel& model = graph.model();
  depend::ExecutionPlace place;
  PotentialDependences potential(graph);
  for (uint32_t at = 0; at < queues.size() && distance.size() < kMostNodes; ++at) {
    for (size_t next = 0; next < queues[at].size() && distance.size() < kMostNodes; ++next) {
      const uint64_t number = queues[at][next];
      if (distance.at(number) != at) continue;
      graph.move_to(place, number);
      const uint32_t static_node = graph.static_node(place, number);
      const Node node = Node::of(place.execution, graph.layout().nodes[static_node].operation);
      const auto& operation = model.operation(node.operation());
      const bool is_made = !unwritten_variable(model, node.operation());
      if (is_made && operation.statement < model.statements().size()) {
        of_statement.try_emplace(operation.statement, DependentStatement{operation.statement, at, place.execution});
      }
      add_unwritten(graph, node, slice.unwritten);
      if (operation.kind == OperationKind::kBranch) {
        slice.branch_distance.try_emplace(place.block, at);
        if (near_of_block[place.block]++ < kNearExecutions) slice.near_branches.emplace(place.execution, at);
      }
      const uint32_t own = is_copy(graph, node) || at == 0 ? 0 : 1;
      const auto visit = [&](uint64_t to, EdgeKind kind) {
        reach(to, at + (kind == EdgeKind::kControl ? kDecision : own));
      };
      graph.visit_edges(place, static_node, visit);
      graph.visit_slot(place, depend::kControlSlot, [&](uint64_t to) { visit(to, EdgeKind::kControl); });
      potential.for_each(node, [&](Node branch) { reach(graph.number_of(branch).bits, at + kNotWritten); });
    }
    std::vector<uint64_t>().swap(queues[at]);
  }
  slice.instances = distance.size();
  slice.uninitialised = uninitialised_reads(graph, distance);
  std::erase_if(slice.uninitialised, [](const UninitialisedRead& each) { return !each.distance; });
  // What chooses between a new value and the old one depends on both, and makes something of one.
  std::erase_if(slice.unwritten, [&](const UnwrittenVariable& variable) {
    return std::none_of(slice.uninitialised.begin(), slice.uninitialised.end(),
                        [&](const auto& each) { return each.variable == variable.variable; });
  });
  for (const auto& [statement, its] : of_statement) slice.statements.push_back(its);
  std::sort(slice.statements.begin(), slice.statements.end(), [](const auto& one, const auto& other) {
    return one.distance != other.distance ? one.distance < other.distance : one.statement < other.statement;
  });
  return slice;
}

}  // namespace culprit
