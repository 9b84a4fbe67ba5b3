// A node is followed to all that it depends on, but not to what has the same known value in both executions. Only
// stores, branches and calls of native functions have known values; other nodes (loads, sums, conversions) are followed
// in any case, and dropped in the end where nothing that differs was found behind them. Where nothing is found behind
// any source of a value that differs, such as bytes of the program's arguments, they stay.
#include "locate/dual_slice.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "depend/slice.h"
#include "locate/graph_nodes.h"
#include "locate/run_values.h"

namespace culprit {

using depend::DependenceGraph;
using depend::EdgeKind;
using depend::Execution;
using depend::Node;

namespace {

using NodeKey = uint64_t;  // Node::bits

struct NodeHash {
  size_t operator()(Node node) const { return std::hash<NodeKey>{}(node.bits * 0x9e3779b97f4a7c15u); }
};
template <typename Value>
using NodeMap = std::unordered_map<Node, Value, NodeHash>;

std::vector<bool> executions_in(const DependenceGraph& graph, const depend::Slice& slice) {
  std::vector<bool> executions(graph.executions(), false);
  slice.for_each([&](uint64_t number) { executions[graph.node_of({number}).execution()] = true; });
  return executions;
}

class Search {
 public:
  Search(const ComparedRun& left, const ComparedRun& right, const Correspondence& correspondence,
         const RunValues& left_values, const RunValues& right_values)
      : graphs_{&left.graph, &right.graph}, values_{&left_values, &right_values}, other_(correspondence.other) {}

  void begin_at(Side side, Node node) {
    visit(side, node);
    found_[side].at(node).differs = true;
  }

  void run() {
    while (!work_.empty()) {
      const auto [side, node] = work_.back();
      work_.pop_back();
      expand(side, node);
    }
    keep_what_differs();
  }

  /// Statement instances with a node that differs.
  std::vector<DualInstance> instances() const {
    std::map<std::pair<Execution, uint32_t>, DualInstance> both;
    std::array<std::map<std::pair<Execution, uint32_t>, DualInstance>, 2> alone;
    for (const Side side : {kLeft, kRight}) {
      for (const auto& [node, found] : found_[side]) {
        if (!found.differs) continue;
        const uint32_t statement = graphs_[side]->model().operation(node.operation()).statement;
        const std::optional<Node> counterpart = counterpart_of(side, node);
        if (!counterpart) {
          DualInstance& one =
              alone[side].try_emplace({node.execution(), statement}, DualInstance{statement, {}, {}}).first->second;
          one.execution[side] = node.execution();
          if (const auto value = values_[side]->of(node)) one.value[side] = value;
          continue;
        }
        const std::array<Node, 2> nodes =
            side == kLeft ? std::array{node, *counterpart} : std::array{*counterpart, node};
        DualInstance& one =
            both.try_emplace({nodes[kRight].execution(), statement}, DualInstance{statement, {}, {}}).first->second;
        const auto left = values_[kLeft]->of(nodes[kLeft]), right = values_[kRight]->of(nodes[kRight]);
        one.execution = {nodes[kLeft].execution(), nodes[kRight].execution()};
        if (left && right && *left != *right) one.value = {left, right};
      }
    }
    return in_order(both, alone);
  }

 private:
  using Instances = std::map<std::pair<Execution, uint32_t>, DualInstance>;

  struct Found {
    bool differs = false;
    std::vector<Node> users;    ///< nodes that it was reached from, of its side
    std::vector<Node> sources;  ///< what it was followed to
  };

  std::optional<Node> counterpart_of(Side side, Node node) const {
    const Execution other = other_[side][node.execution()];
    if (other == depend::kNoExecution) return std::nullopt;
    const Node same = Node::of(other, node.operation());
    return node.is_transfer() ? same.as_transfer() : same;
  }

  enum class Verdict { kSame, kDiffers, kUnknown };

  /// Of nodes that correspond.
  Verdict compare(Side side, Node node, Node counterpart) const {
    // That a call was made, both have in common.
    if (node.is_transfer()) return Verdict::kSame;
    const auto one = values_[side]->of(node), other = values_[1 - side]->of(counterpart);
    if (!one || !other) return Verdict::kUnknown;
    return *one == *other ? Verdict::kSame : Verdict::kDiffers;
  }

  /// Whether the node was new.
  bool visit(Side side, Node node) {
    const bool is_new = found_[side].try_emplace(node).second;
    if (is_new) work_.emplace_back(side, node);
    return is_new;
  }

  void reach(Side side, Node node, Node user) {
    visit(side, node);
    found_[side].at(node).users.push_back(user);
    found_[side].at(user).sources.push_back(node);
  }

  void expand(Side side, Node node) {
    const std::optional<Node> counterpart = counterpart_of(side, node);
    if (!counterpart) found_[side].at(node).differs = true;
    // What was read was made by nothing in the program.
    if (counterpart && reads_input(*graphs_[side], node)) return;
    graphs_[side]->for_each_edge(node, [&](const depend::Edge& edge) {
      // Both executions got to corresponding points, be it by other decisions.
      if (counterpart && edge.kind == EdgeKind::kControl) return;
      follow(side, edge.to, node);
    });
  }

  void follow(Side side, Node to, Node user) {
    const std::optional<Node> counterpart = counterpart_of(side, to);
    if (!counterpart) return reach(side, to, user);
    const Verdict verdict = compare(side, to, *counterpart);
    // What both calls of a reading function returned may be the same while what they read is not.
    const bool reads = reads_input(*graphs_[side], to) && !to.is_transfer();
    if (verdict == Verdict::kSame && !reads) return;
    reach(side, to, user);
    found_[side].at(to).differs |= verdict == Verdict::kDiffers || reads;
    const Side far = side == kLeft ? kRight : kLeft;
    visit(far, *counterpart);
    found_[far].at(*counterpart).differs |= verdict == Verdict::kDiffers || reads;
  }

  /// Nodes that something which differs reaches differ, too.
  void keep_what_differs() {
    for (const Side side : {kLeft, kRight}) {
      std::vector<Node> known;
      for (const auto& [node, found] : found_[side]) {
        if (found.differs) known.push_back(node);
      }
      spread(side, known, &Found::users);
      // All sources of a value that differs while none of them is known to.
      std::erase_if(known, [&](Node node) {
        const std::vector<Node>& sources = found_[side].at(node).sources;
        return std::any_of(sources.begin(), sources.end(),
                           [&](Node source) { return found_[side].at(source).differs; });
      });
      spread(side, known, &Found::sources);
    }
  }

  /// Marks all that is reached from nodes, and not yet marked, by one kind of neighbours.
  void spread(Side side, std::vector<Node> work, std::vector<Node> Found::*neighbours) {
    while (!work.empty()) {
      const Node node = work.back();
      work.pop_back();
      for (const Node next : found_[side].at(node).*neighbours) {
        Found& found = found_[side].at(next);
        if (!found.differs) work.push_back(next);
        found.differs = true;
      }
    }
  }

  /// The left execution's lone instances come behind the last execution before them that corresponds to one of the
  /// right.
  std::vector<DualInstance> in_order(const Instances& both, const std::array<Instances, 2>& alone) const {
    struct Placed {
      Execution anchor;
      bool behind;
      Execution own;
      DualInstance instance;
    };
    std::vector<Placed> placed;
    for (const auto& [key, one] : both) placed.push_back({key.first, false, key.first, one});
    for (const auto& [key, one] : alone[kRight]) placed.push_back({key.first, false, key.first, one});
    for (const auto& [key, one] : alone[kLeft]) {
      Execution before = key.first;
      while (before > 0 && other_[kLeft][before] == depend::kNoExecution) --before;
      const Execution anchor = other_[kLeft][before] == depend::kNoExecution ? 0 : other_[kLeft][before];
      placed.push_back({anchor, true, key.first, one});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return std::tie(a.anchor, a.behind, a.own) < std::tie(b.anchor, b.behind, b.own);
    });
    std::vector<DualInstance> instances;
    for (Placed& each : placed) instances.push_back(std::move(each.instance));
    return instances;
  }

  std::array<const DependenceGraph*, 2> graphs_;
  std::array<const RunValues*, 2> values_;
  const std::array<std::vector<Execution>, 2>& other_;
  std::array<NodeMap<Found>, 2> found_;
  std::vector<std::pair<Side, Node>> work_;
};

}  // namespace

DualSlice dual_slice(const ComparedRun& left, const ComparedRun& right,
                     const std::array<std::vector<Node>, 2>& criteria) {
  return dual_slice(left, right, corresponding_executions(left, right), criteria);
}

DualSlice dual_slice(const ComparedRun& left, const ComparedRun& right, const Correspondence& correspondence,
                     const std::array<std::vector<Node>, 2>& criteria) {
  DualSlice result;
  // Values are looked up only where either slice could lead.
  const depend::Slice left_slice = backward_slice(left.graph, criteria[kLeft]);
  const depend::Slice right_slice = backward_slice(right.graph, criteria[kRight]);
  result.ordinary = {statement_instances(left.graph, left_slice).size(),
                     statement_instances(right.graph, right_slice).size()};
  std::vector<bool> left_wanted = executions_in(left.graph, left_slice);
  std::vector<bool> right_wanted = executions_in(right.graph, right_slice);
  for (size_t each = 0; each < left_wanted.size(); ++each) {
    const Execution other = correspondence.other[kLeft][each];
    if (other == depend::kNoExecution) continue;
    const bool wanted = left_wanted[each] || right_wanted[other];
    left_wanted[each] = right_wanted[other] = wanted;
  }
  const RunValues left_values(left.trace, left_wanted), right_values(right.trace, right_wanted);
  Search search(left, right, correspondence, left_values, right_values);
  for (const Node node : criteria[kLeft]) search.begin_at(kLeft, node);
  for (const Node node : criteria[kRight]) search.begin_at(kRight, node);
  search.run();
  result.instances = search.instances();
  return result;
}

}  // namespace culprit
