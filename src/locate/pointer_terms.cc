#include "locate/pointer_terms.h"

#include <algorithm>

#include "depend/value_chain.h"
#include "locate/graph_nodes.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Node;
using format::OperandKind;
using format::OperandRecord;
using format::OperationKind;

namespace {

constexpr int kMostSteps = 16;

void add_steps(const DependenceGraph& graph, uint32_t step, PointerTerm& term) {
  const auto operands = graph.model().operands_of(step);
  for (const OperandRecord& each : operands.subspan(std::min<size_t>(1, operands.size()))) {
    const bool number = each.kind == OperandKind::kConstant && (each.flags & format::kOperandIsNumber) != 0;
    term.steps.push_back(number ? std::optional<int64_t>(static_cast<int32_t>(each.value)) : std::nullopt);
  }
}

uint32_t first_operand(const DependenceGraph& graph, uint32_t operation) {
  return graph.model().operation(operation).first_operand;
}

}  // namespace

bool may_be_same(const PointerTerm& one, const PointerTerm& other) {
  return one.made == other.made && one.steps.size() == other.steps.size() &&
         std::equal(one.steps.begin(), one.steps.end(), other.steps.begin(),
                    [](const auto& a, const auto& b) { return !a || !b || *a == *b; });
}

Node maker_of_pointer(const DependenceGraph& graph, Node node, uint32_t operand, int most,
                      std::vector<uint32_t>& steps) {
  Node at = depend::kNoNode;
  graph.for_each_source(node, operand, [&](Node source) { at = source; });
  // A pointer may be kept in a variable between its steps.
  for (int count = 0; at != depend::kNoNode && count < most; ++count) {
    at = depend::value_chain(graph, at).back();
    if (kind_of(graph, at) != OperationKind::kStep) break;
    Node base = depend::kNoNode;
    graph.for_each_source(at, first_operand(graph, at.operation()), [&](Node source) { base = source; });
    if (base == depend::kNoNode) break;
    steps.push_back(at.operation());
    at = base;
  }
  return at;
}

std::optional<PointerTerm> term_of_executed(const DependenceGraph& graph, Node node, uint32_t operand) {
  std::vector<uint32_t> steps;
  const Node at = maker_of_pointer(graph, node, operand, kMostSteps, steps);
  if (at == depend::kNoNode) return std::nullopt;
  PointerTerm term{.made = at, .steps = {}};
  std::for_each(steps.rbegin(), steps.rend(), [&](uint32_t step) { add_steps(graph, step, term); });
  return term;
}

std::optional<PointerTerm> term_of_unexecuted(const DependenceGraph& graph, uint32_t operand,
                                              const Unexecuted& values) {
  const OperandRecord& record = graph.model().sections().operands[operand];
  if (record.kind == OperandKind::kArgument) return values.argument(record.value);
  if (record.kind != OperandKind::kOperation) return std::nullopt;
  switch (graph.model().operation(record.value).kind) {
    case OperationKind::kLoad: {
      const auto accesses = graph.model().accesses_of(record.value);
      if (accesses.empty() || accesses.front().place != format::PlaceKind::kCells) return std::nullopt;
      return values.variable(accesses.front().value);
    }
    case OperationKind::kCopy:
      return term_of_unexecuted(graph, first_operand(graph, record.value), values);
    case OperationKind::kStep: {
      auto term = term_of_unexecuted(graph, first_operand(graph, record.value), values);
      if (term) add_steps(graph, record.value, *term);
      return term;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace culprit
