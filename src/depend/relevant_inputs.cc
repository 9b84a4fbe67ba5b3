#include "depend/relevant_inputs.h"

#include "depend/input_chains.h"
#include "depend/input_facts.h"
#include "depend/input_walk.h"

namespace culprit::depend {

using namespace format;

RelevantInputs::RelevantInputs(const DependenceGraph& graph)
    : graph_(graph), parts_(graph), values_(graph.file().ordinals()) {}

InputValue RelevantInputs::of(std::span<const InputCriterion> criterion) {
  InputFacts facts(graph_, parts_);
  InputWalk walk(graph_, parts_, facts);
  for (const InputCriterion& each : criterion) {
    if (each.source != kNoNumber) walk.ask(each.source, demand::whole(each.is_weak));
  }
  walk.walk();
  visited_ = walk.visited();
  InputValues::Sets sets;
  for (size_t role = 0; role < kInputRoles; ++role) {
    sets.all[role] = values_.set_of(walk.all(static_cast<InputRole>(role)));
    sets.precise[role] = values_.set_of(walk.precise(static_cast<InputRole>(role)));
  }
  if (walk.has_chains()) {
    InputChains chains(parts_, facts, values_);
    InputValue value = kNoInput;
    for (const InputCriterion& each : criterion) {
      if (each.source != kNoNumber && !each.is_weak) value = values_.joined(value, chains.of(each.source));
    }
    sets.chains = values_.sets(value).chains;
  }
  return values_.value(sets);
}

InputValue RelevantInputs::of(std::span<const NodeNumber> criterion) {
  std::vector<InputCriterion> all;
  for (const NodeNumber each : criterion) all.push_back({each});
  return of(all);
}

InputValue RelevantInputs::of_output(OutputStream stream, uint64_t first, uint64_t end) {
  std::vector<InputCriterion> criterion;
  for (uint64_t offset = first; offset < end; ++offset) {
    for (const uint64_t each : graph_.output_sources(stream, offset)) {
      const NodeNumber source = without_piece({each});
      // Copied bytes come from what defined their memory, others are made of values.
      bool is_memory = is_input_byte(source);
      if (!is_memory) {
        const Node node = graph_.node_of(source);
        const OperationKind kind = graph_.model().operation(node.operation()).kind;
        is_memory = kind == OperationKind::kStore || kind == OperationKind::kCopyMemory || node.is_transfer();
      }
      criterion.push_back({source, !is_memory});
    }
  }
  return of(criterion);
}

std::vector<NodeNumber> values_made(const DependenceGraph& graph, const std::vector<Node>& values_used) {
  std::vector<NodeNumber> made, used;
  for (const Node node : values_used) {
    used.push_back(graph.number_of(node));
    switch (graph.model().operation(node.operation()).kind) {
      case OperationKind::kBranch:
      case OperationKind::kStore:
      case OperationKind::kUpdate:
      case OperationKind::kCopyMemory:
      case OperationKind::kSetMemory:
      case OperationKind::kReturn:
        made.push_back(used.back());
        break;
      default:
        break;
    }
  }
  return made.empty() ? used : made;
}

}  // namespace culprit::depend
