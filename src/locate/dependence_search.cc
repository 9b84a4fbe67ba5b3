// Dijkstra's algorithm from the failure back, one queue for each distance. What a reader follows easily is near: a
// value that is copied on; then one that is computed from another; then an address; a decision is the farthest, for
// what is executed depends on decisions all the way up to the start of the program. So a way takes as few decisions as
// it can.
#include "locate/dependence_search.h"

#include <algorithm>

#include "locate/graph_nodes.h"

namespace culprit {

using depend::DependenceGraph;
using depend::EdgeKind;
using depend::Node;

namespace {

constexpr uint32_t kCopied = 1;
constexpr uint32_t kComputed = 4;
constexpr uint32_t kAddressed = 16;
constexpr uint32_t kDecided = 24;
constexpr size_t kMostNodes = 1'000'000;

Node earliest_of(std::span<const RouteStart> starts) {
  Node earliest = depend::kNoNode;
  for (const RouteStart& start : starts) {
    for (const Node node : start.nodes) earliest = std::min(earliest, node);
  }
  return earliest;
}

}  // namespace

DependenceSearch::DependenceSearch(const DependenceGraph& graph, const RouteEnd& failure,
                                   std::span<const RouteStart> starts)
    : graph_(graph), before_(graph, earliest_of(starts)) {
  std::unordered_map<uint64_t, std::vector<size_t>> wanted;  // starts by number
  for (size_t each = 0; each < starts.size(); ++each) {
    for (const Node node : starts[each].nodes) {
      wanted[graph.number_of(node).bits].push_back(each);
    }
  }
  std::vector<bool> found(starts.size());
  size_t missing = starts.size();
  const bool output = failure.put_out_by != depend::kNoNode;
  const uint64_t end = output ? graph.number_of(failure.put_out_by).bits : 0;
  if (output) reach(end, 0, end, RouteLink::kStart);
  for (const Node node : failure.nodes) {
    const uint64_t number = graph.number_of(node).bits;
    reach(number, 0, output ? end : number, RouteLink::kPassed);
  }
  for (uint32_t distance = 0; distance < queues_.size(); ++distance) {
    for (size_t next = 0; next < queues_[distance].size(); ++next) {
      const uint64_t number = queues_[distance][next];
      Reached& reached = reached_.at(number);
      if (reached.done || reached.distance != distance) continue;
      reached.done = true;
      order_.push_back(number);
      if (const auto begin = wanted.find(number); begin != wanted.end()) {
        for (const size_t start : begin->second) missing -= found[start] ? 0 : 1, found[start] = true;
      }
      if (missing == 0 || order_.size() == kMostNodes) return;
      look_from(number, distance);
    }
    std::vector<uint64_t>().swap(queues_[distance]);
  }
}

void DependenceSearch::reach(uint64_t number, uint32_t distance, uint64_t next, RouteLink how) {
  const auto [known, fresh] = reached_.try_emplace(number, Reached{distance, next, how, false});
  if (!fresh && known->second.distance <= distance) return;
  known->second = {distance, next, how, false};
  if (queues_.size() <= distance) queues_.resize(distance + 1);
  queues_[distance].push_back(number);
}

void DependenceSearch::look_from(uint64_t number, uint32_t distance) {
  graph_.move_to(place_, number);
  const uint32_t static_node = graph_.static_node(place_, number);
  const Node node = Node::of(place_.execution, graph_.layout().nodes[static_node].operation);
  if (node.execution() != before_.moment() && before_.is_before(node)) return;
  const bool copies = is_copy(graph_, node);
  graph_.visit_edges(place_, static_node, [&](uint64_t to, EdgeKind kind) {
    if (kind == EdgeKind::kControl) {
      reach(to, distance + kDecided, number, RouteLink::kExecuted);
    } else if (kind == EdgeKind::kAddress) {
      reach(to, distance + kAddressed, number, RouteLink::kChosen);
    } else {
      reach(to, distance + (copies ? kCopied : kComputed), number, copies ? RouteLink::kPassed : RouteLink::kComputed);
    }
  });
  graph_.visit_slot(place_, depend::kControlSlot,
                    [&](uint64_t to) { reach(to, distance + kDecided, number, RouteLink::kExecuted); });
}

Node DependenceSearch::nearest_of(const RouteStart& start) const {
  Node nearest = depend::kNoNode;
  uint32_t distance = 0;
  for (const Node node : start.nodes) {
    const auto reached = reached_.find(graph_.number_of(node).bits);
    if (reached == reached_.end() || !reached->second.done) continue;
    if (nearest != depend::kNoNode && reached->second.distance >= distance) continue;
    nearest = node;
    distance = reached->second.distance;
  }
  return nearest;
}

std::vector<DependenceSearch::Link> DependenceSearch::way_from(Node node) const {
  std::vector<Link> way;
  RouteLink how = RouteLink::kStart;
  for (uint64_t number = graph_.number_of(node).bits;;) {
    const Reached& reached = reached_.at(number);
    way.push_back({.node = graph_.node_of({number}), .how = how});
    if (reached.next == number) return way;
    how = reached.how;
    number = reached.next;
  }
}

void DependenceSearch::for_each(const std::function<bool(Node)>& visit) const {
  for (const uint64_t number : order_) {
    if (!visit(graph_.node_of({number}))) return;
  }
}

}  // namespace culprit
