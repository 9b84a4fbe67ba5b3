#include "depend/slice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace culprit::depend {

bool is_wanted(EdgeKind kind, const SliceOptions& options) {
  switch (kind) {
    case EdgeKind::kData:
      return options.data;
    case EdgeKind::kAddress:
      return options.address;
    case EdgeKind::kControl:
      return options.control;
  }
  return false;
}

namespace {

/// One pass in order of time. Whether anything was added.
bool extend_forward(const DependenceGraph& graph, Execution first, const SliceOptions& options, Slice& slice) {
  bool extended = false;
  for (Execution execution = first; execution < graph.executions(); ++execution) {
    const ExecutionPlace place = graph.place_of(execution);
    bool control = false;
    if (options.control) graph.visit_slot(place, kControlSlot, [&](uint64_t to) { control |= slice.contains(to); });
    const uint32_t end = graph.layout().first_node[place.block + 1];
    uint64_t number = place.first_number;
    for (uint32_t node = graph.layout().first_node[place.block]; node < end; ++node, ++number) {
      if (slice.contains(number)) continue;
      bool depends = control;
      graph.visit_edges(place, node, [&](uint64_t to, EdgeKind kind) {
        depends = depends || (is_wanted(kind, options) && slice.contains(to));
      });
      if (!depends) continue;
      if (options.prune && options.prune(graph.layout().nodes[node].operation & ~Node::kTransferBit)) continue;
      slice.insert(number);
      extended = true;
    }
  }
  return extended;
}

}  // namespace

// Dependences lead back in time, but for the results of calls, which come from later executions than the call's own. So
// a pass in order of time is repeated until nothing is added.
Slice forward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options) {
  Slice slice(graph.file().numbers());
  Execution first = kNoExecution;
  for (const Node node : criterion) {
    if (node == kNoNode) continue;
    slice.insert(graph.number_of(node).bits);
    first = std::min(first, node.execution());
  }
  while (first != kNoExecution && extend_forward(graph, first, options, slice)) {
  }
  return slice;
}

Slice chop(const DependenceGraph& graph, const std::vector<Node>& from, const std::vector<Node>& to,
           const SliceOptions& options) {
  Slice both = backward_slice(graph, to, options);
  both.keep_common(forward_slice(graph, from, options));
  return both;
}

namespace {

/// Calls `visit(Node)` for each node of the slice, ascending.
template <typename Visit>
void for_each_node(const DependenceGraph& graph, const Slice& slice, Visit&& visit) {
  ExecutionPlace place;
  slice.for_each([&](uint64_t number) {
    graph.move_to(place, number);
    visit(Node::of(place.execution, graph.layout().nodes[graph.static_node(place, number)].operation));
  });
}

}  // namespace

std::vector<StatementInstance> statement_instances(const DependenceGraph& graph, const std::vector<Node>& nodes) {
  std::vector<StatementInstance> instances;
  for (const Node node : nodes) {
    instances.push_back({node.execution(), graph.model().operation(node.operation()).statement});
  }
  std::sort(instances.begin(), instances.end());
  instances.erase(std::unique(instances.begin(), instances.end()), instances.end());
  return instances;
}

std::vector<StatementInstance> statement_instances(const DependenceGraph& graph, const Slice& slice) {
  std::vector<StatementInstance> instances;
  for_each_node(graph, slice, [&](Node node) {
    const StatementInstance instance{node.execution(), graph.model().operation(node.operation()).statement};
    if (instances.empty() || instances.back() != instance) instances.push_back(instance);
  });
  std::sort(instances.begin(), instances.end());
  instances.erase(std::unique(instances.begin(), instances.end()), instances.end());
  return instances;
}

namespace {

/// Counts the statements of executions. Which of a block's nodes belong to a statement is the same in each, and most
/// executions have the same nodes in a slice as others: what their statements are is remembered.
class InstanceCounter {
 public:
  InstanceCounter(const DependenceGraph& graph, const Slice& slice)
      : graph_(graph),
        slice_(slice),
        counts_(graph.model().statements().size()),
        parts_(graph.layout().slots.size()),
        known_(size_t{1} << kKnownBits) {}

  std::vector<uint64_t> count() {
    const uint64_t bound = graph_.file().numbers();
    ExecutionPlace place;
    ChunkWindow window(graph_.file());
    for (uint64_t number = slice_.next(0, bound); number < bound;) {
      graph_.move_to(place, number);
      window.come_to(place.chunk_number);
      const uint32_t nodes = graph_.layout().nodes_of(place.block);
      if (nodes <= 64) {
        for (const uint32_t each : statements_of(place.block, slice_.range(place.first_number, nodes))) ++counts_[each];
        number = slice_.next(place.first_number + nodes, bound);
        continue;
      }
      const std::vector<Part>& parts = parts_of(place.block);
      for (uint32_t from = 0; from < nodes; from += 64)
        take(parts, place.first_number, from, std::min(nodes - from, 64u));
      for (const Part& part : parts) counts_[part.statement] += std::exchange(is_in_[part.number], 0);
      number = slice_.next(place.first_number + nodes, bound);
    }
    return std::move(counts_);
  }

 private:
  /// Nodes of a statement among 64 of a block.
  struct Part {
    uint32_t statement;
    uint32_t number;  ///< of the statement in the block
    uint32_t from;
    uint64_t nodes;
  };

  /// Of a block of up to 64 nodes, those that have any of these.
  struct Known {
    uint64_t nodes = 0;
    uint32_t block = 0;
    uint32_t first = 0, count = 0;
  };

  std::span<const uint32_t> statements_of(uint32_t block, uint64_t nodes) {
    Known& known = known_[(nodes * 0x9e3779b97f4a7c15 ^ block * 0xc2b2ae3d27d4eb4f) >> (64 - kKnownBits)];
    if (known.nodes != nodes || known.block != block) {
      if (statements_.size() > kMostStatements) {
        statements_.clear();
        std::fill(known_.begin(), known_.end(), Known{});
      }
      const auto first = static_cast<uint32_t>(statements_.size());
      for (const Part& part : parts_of(block)) {
        if ((part.nodes & nodes) != 0) statements_.push_back(part.statement);
      }
      known = {nodes, block, first, static_cast<uint32_t>(statements_.size()) - first};
    }
    return std::span(statements_).subspan(known.first, known.count);
  }

  void take(const std::vector<Part>& parts, uint64_t first_number, uint32_t from, uint32_t count) {
    const uint64_t nodes = slice_.range(first_number + from, count);
    for (const Part& part : parts) {
      if (part.from == from && (part.nodes & nodes) != 0) is_in_[part.number] = 1;
    }
  }

  const std::vector<Part>& parts_of(uint32_t block) {
    std::vector<Part>& parts = parts_[block];
    if (!parts.empty()) return parts;
    const BlockLayout& layout = graph_.layout();
    std::map<uint32_t, uint32_t> numbers;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> nodes;
    for (uint32_t place = 0; place < layout.nodes_of(block); ++place) {
      const uint32_t operation = layout.nodes[layout.first_node[block] + place].operation & ~Node::kTransferBit;
      const uint32_t statement = graph_.model().operation(operation).statement;
      if (statement < counts_.size()) nodes[{statement, place / 64 * 64}] |= uint64_t{1} << (place % 64);
    }
    for (const auto& [at, bits] : nodes) {
      const uint32_t number = numbers.emplace(at.first, static_cast<uint32_t>(numbers.size())).first->second;
      parts.push_back({at.first, number, at.second, bits});
    }
    if (is_in_.size() < numbers.size()) is_in_.resize(numbers.size());
    return parts;
  }

  const DependenceGraph& graph_;
  const Slice& slice_;
  std::vector<uint64_t> counts_;
  std::vector<std::vector<Part>> parts_;  ///< by block
  std::vector<uint8_t> is_in_;            ///< by number
  static constexpr uint32_t kKnownBits = 13;
  static constexpr size_t kMostStatements = size_t{1} << 18;
  std::vector<Known> known_;
  std::vector<uint32_t> statements_;  ///< of what is known
};

}  // namespace

std::vector<uint64_t> numbers_of(const DependenceGraph& graph, const std::vector<StatementInstance>& instances) {
  std::map<uint32_t, uint64_t> executed;
  for (const StatementInstance& each : instances) executed.emplace(graph.block_of(each.execution), 0);
  std::vector<uint64_t> numbers;
  Execution next = 0;
  for (const StatementInstance& each : instances) {
    for (; next <= each.execution; ++next) {
      const auto counted = executed.find(graph.block_of(next));
      if (counted != executed.end()) ++counted->second;
    }
    numbers.push_back(executed.at(graph.block_of(each.execution)));
  }
  return numbers;
}

std::vector<uint64_t> count_instances(const DependenceGraph& graph, const Slice& slice) {
  return InstanceCounter(graph, slice).count();
}

std::vector<uint32_t> reads_without_source(const DependenceGraph& graph, const Slice& slice) {
  std::map<uint32_t, uint64_t> latest;
  for_each_node(graph, slice, [&](Node node) {
    const format::OperationRecord& operation = graph.model().operation(node.operation());
    if (operation.kind != format::OperationKind::kLoad) return;
    if (operation.statement >= graph.model().statements().size()) return;
    bool has_source = false;
    graph.for_each_memory_source(node, [&](Node) { has_source = true; });
    if (!has_source) latest[operation.statement] = node.bits;
  });
  std::vector<std::pair<uint64_t, uint32_t>> ordered;
  for (const auto& [statement, node] : latest) ordered.emplace_back(node, statement);
  std::sort(ordered.rbegin(), ordered.rend());
  std::vector<uint32_t> statements;
  for (const auto& [node, statement] : ordered) statements.push_back(statement);
  return statements;
}

std::set<InstanceEdge> instance_edges(const DependenceGraph& graph, const Slice& slice,
                                      const std::vector<StatementInstance>& instances, const SliceOptions& options) {
  const auto number = [&](Node node) -> std::optional<size_t> {
    const StatementInstance wanted{node.execution(), graph.model().operation(node.operation()).statement};
    const auto at = std::lower_bound(instances.begin(), instances.end(), wanted);
    if (at == instances.end() || *at != wanted) return std::nullopt;
    return static_cast<size_t>(at - instances.begin());
  };
  std::set<InstanceEdge> edges;
  for_each_node(graph, slice, [&](Node node) {
    const std::optional<size_t> from = number(node);
    if (!from) return;
    graph.for_each_edge(node, [&](const Edge& edge) {
      const std::optional<size_t> to = number(edge.to);
      if (to && *to != *from && is_wanted(edge.kind, options)) edges.insert({*from, *to, edge.kind});
    });
  });
  return edges;
}

}  // namespace culprit::depend
