#include "index/flow_tables.h"

#include <algorithm>

#include "program/control_dependence.h"
#include "program/dominators.h"
#include "program/execution_order.h"
#include "program/loop_forest.h"

namespace culprit {

using program::FlowGraph;

FlowTables::FlowTables(const program::ProgramModel& model) {
  for (const uint32_t function : model.functions()) {
    if (!model.blocks_of(function).empty()) add_function(model.graph_of(function));
  }
}

FlowTables::FlowTables(std::span<const FlowGraph> functions) {
  for (const FlowGraph& graph : functions) add_function(graph);
}

void FlowTables::add_function(const FlowGraph& graph) {
  const auto first_block = static_cast<uint32_t>(blocks_.size());
  const auto first_loop = static_cast<uint32_t>(loops_.size());
  const auto first_edge = static_cast<uint32_t>(edges_.size());
  const program::LoopForest forest = program::loop_forest(graph);
  const program::ExecutionOrder order = program::execution_order(graph, forest);
  for (uint32_t each = 0; each < forest.loops.size(); ++each) {
    const uint32_t parent = forest.loops[each].parent;
    Loop loop{.position = order.loop_position[each]};
    if (parent != program::kNoLoop) {
      loop.parent = first_loop + parent;
      loop.level = static_cast<uint16_t>(loops_[loop.parent].level + 1);
    }
    loops_.push_back(loop);
  }
  for (uint32_t each = 0; each < graph.size(); ++each) {
    const uint32_t innermost = forest.innermost[each];
    Block block{.function = functions_, .position = order.block_position[each]};
    block.first_edge = first_edge + graph.first_edge[each];
    if (innermost != program::kNoLoop) {
      block.loop = first_loop + innermost;
      block.level = static_cast<uint16_t>(loops_[block.loop].level + 1);
      const auto& headers = forest.loops[innermost].headers;
      block.is_header = std::binary_search(headers.begin(), headers.end(), each);
      block.counts = block.is_header && program::begins_iteration(forest, innermost, each);
    }
    blocks_.push_back(block);
  }
  const program::PostDominators post_dominators = program::post_dominators(graph);
  const program::ControlDependence dependence = program::control_dependence(graph, post_dominators);
  const auto canonical = [&](uint32_t source, uint32_t edge) {
    uint32_t first = graph.first_edge[source];
    while (graph.targets[first] != graph.targets[edge]) ++first;
    return first;
  };
  std::vector<uint32_t> source_of(graph.edge_count());
  for (uint32_t each = 0; each < graph.size(); ++each) {
    const uint32_t closing = post_dominators.immediate[each];
    for (uint32_t edge = graph.first_edge[each]; edge < graph.first_edge[each + 1]; ++edge) {
      source_of[edge] = each;
      edges_.push_back({.target = first_block + graph.targets[edge],
                        .closing = closing == graph.size() ? program::kNoBlock : first_block + closing});
    }
  }
  for (uint32_t each = 0; each < graph.size(); ++each) {
    std::vector<uint32_t> parents;
    for (const uint32_t edge : dependence.of(each)) parents.push_back(canonical(source_of[edge], edge));
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    const bool runs_always = program::is_ancestor(post_dominators.immediate, each, 0);
    if (parents.size() == 1 && !runs_always) continue;
    for (const uint32_t parent : parents) {
      Edge& edge = edges_[first_edge + parent];
      edge.is_pushed = true;
      if (edge.closing != program::kNoBlock) blocks_[edge.closing].closes = true;
    }
  }
  ++functions_;
}

const FlowTables::Edge* FlowTables::edge_between(uint32_t from, uint32_t to, uint32_t& number) const {
  const uint32_t end = from + 1 < blocks_.size() ? blocks_[from + 1].first_edge : static_cast<uint32_t>(edges_.size());
  for (number = blocks_[from].first_edge; number < end; ++number) {
    if (edges_[number].target == to) return &edges_[number];
  }
  return nullptr;
}

uint32_t FlowTables::loop_at(uint32_t block, uint16_t level) const {
  uint32_t loop = blocks_[block].loop;
  while (loops_[loop].level > level) loop = loops_[loop].parent;
  return loop;
}

bool FlowTables::lies_in(uint32_t block, uint32_t loop) const {
  uint32_t at = blocks_[block].loop;
  while (at != kNoLoop && loops_[at].level > loops_[loop].level) at = loops_[at].parent;
  return at == loop;
}

}  // namespace culprit
