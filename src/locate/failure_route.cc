// One search back from the failure serves all starts. What it finds are nodes; a reader is told places:
// - of what libraries' headers and wrappers of the allocator do, the call in the program's own code;
// - of a value that is passed from one activation to another, the calls between which it went (passage.h);
// - a place once where it follows itself, and a loop's turns once.
//
// A branch decides also by what it keeps from being executed, and of that a run's dependences know nothing: the use of
// a variable depends on the write before, and not on the decision not to write it again (Gyimothy, Beszedes and
// Forgacs, ESEC/FSE 1999, call it a potential dependence). omitted_writes.h finds such uses among what the failure
// depends on. Where what was found decides only about another such branch that was found, the route leads by that one.
#include "locate/failure_route.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "locate/dependence_search.h"
#include "locate/graph_nodes.h"
#include "locate/omitted_writes.h"
#include "locate/own_statements.h"
#include "locate/passage.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;

constexpr size_t kMostSteps = 24;
constexpr size_t kLongestTurn = 6;  // steps of a loop that are told once

uint32_t statement_of(const DependenceGraph& graph, Node node) {
  return graph.model().operation(node.operation()).statement;
}

/// The node, or the innermost call around it, in the program's own code; kNoNode when there is none.
Node own_node(const DependenceGraph& graph, Node node) {
  while (node != depend::kNoNode && !is_own_statement(graph.model(), statement_of(graph, node))) {
    const Node call = graph.frame(graph.execution(node.execution()).frame).call;
    if (call != depend::kNoNode && call.execution() >= node.execution()) return depend::kNoNode;
    node = call;
  }
  return node;
}

class RouteWriter {
 public:
  explicit RouteWriter(const DependenceGraph& graph) : graph_(graph) {}

  void add(Node node, RouteLink link) {
    const program::ProgramModel& model = graph_.model();
    const uint32_t made = statement_of(graph_, node);
    if (made >= model.statements().size() || model.statement(made).line == 0) return;  // by the compiler
    node = own_node(graph_, node);
    if (node == depend::kNoNode) return;
    const uint32_t statement = statement_of(graph_, node);
    if (!route_.empty() && is_same_line(route_.back().statement, statement)) {
      // What a line does with a value says more than that the value came there.
      if (route_.back().link == RouteLink::kPassed) route_.back().link = link;
      return;
    }
    route_.push_back({.statement = statement, .link = link, .instance = instance_of(graph_, node)});
  }

  /// Nothing that was added has a line.
  bool is_empty() const { return route_.empty(); }

  /// Behind what was added before, which must have a line.
  void add_omitted(uint32_t statement) {
    if (!is_same_line(route_.back().statement, statement)) {
      route_.push_back({.statement = statement, .link = RouteLink::kLeftOut, .instance = 0});
    }
  }

  void add_route(std::span<const RouteStep> steps) { route_.insert(route_.end(), steps.begin(), steps.end()); }

  /// All but its first node, which was added.
  void add_way(const std::vector<DependenceSearch::Link>& way) {
    for (size_t each = 1; each < way.size();) {
      if (way[each].how != RouteLink::kPassed) {
        add(way[each].node, way[each].how);
        ++each;
        continue;
      }
      std::vector<Node> places{way[each - 1].node};  // where the value is copied from one to the other
      for (; each < way.size() && way[each].how == RouteLink::kPassed; ++each) {
        const Passage passage = passage_between(graph_, way[each].node, way[each - 1].node);
        places.push_back(passage.earlier);
        places.push_back(passage.later);
      }
      places.push_back(way[each - 1].node);
      add_places(places);
    }
  }

  Route take() {
    drop_repeated_turns();
    shorten();
    return std::move(route_);
  }

 private:
  uint32_t frame_of(Node node) const { return graph_.execution(node.execution()).frame; }

  /// Whether `frame` was called by `other`'s activation.
  bool is_called_by(uint32_t frame, uint32_t other) const {
    const Node call = graph_.frame(frame).call;
    return call != depend::kNoNode && frame_of(call) == other;
  }

  /// But for what goes on within short functions that were called only to fetch or put the value.
  void add_places(const std::vector<Node>& places) {
    for (size_t each = 1; each < places.size();) {
      const uint32_t frame = frame_of(places[each]);
      size_t end = each + 1;
      while (end < places.size() && frame_of(places[end]) == frame) ++end;
      const bool only_fetches =
          end < places.size() && is_short_function(graph_.model(), graph_.frame(frame).function) &&
          is_called_by(frame, frame_of(places[each - 1])) && is_called_by(frame, frame_of(places[end]));
      for (; each < end; ++each) {
        if (!only_fetches) add(places[each], RouteLink::kPassed);
      }
    }
  }

  bool is_same_line(uint32_t one, uint32_t other) const {
    const program::ProgramModel& model = graph_.model();
    return one == other || (model.function_of_statement(one) == model.function_of_statement(other) &&
                            model.statement(one).line == model.statement(other).line);
  }

  bool repeats(size_t at, size_t turn) const {
    for (size_t each = at; each < at + turn; ++each) {
      if (!is_same_line(route_[each].statement, route_[each + turn].statement)) return false;
    }
    return true;
  }

  /// Of the turns of a loop the last stays: the failure's.
  void drop_repeated_turns() {
    for (size_t turn = 1; turn <= kLongestTurn; ++turn) {
      for (size_t at = 1; at + 2 * turn <= route_.size();) {
        if (repeats(at, turn)) {
          route_.erase(route_.begin() + static_cast<long>(at), route_.begin() + static_cast<long>(at + turn));
        } else {
          ++at;
        }
      }
    }
  }

  /// Where a value came by says least.
  void shorten() {
    for (size_t at = route_.size() - 1; route_.size() > kMostSteps && at-- > 2;) {
      if (route_[at].link == RouteLink::kPassed) route_.erase(route_.begin() + static_cast<long>(at));
    }
    if (route_.size() <= kMostSteps) return;
    const auto half = static_cast<long>(kMostSteps / 2);
    route_.erase(route_.begin() + half, route_.end() - half);
  }

  const DependenceGraph& graph_;
  Route route_;
};

Route route_from(const DependenceGraph& graph, const DependenceSearch& search, const RouteStart& start) {
  RouteWriter writer(graph);
  if (const Node node = search.nearest_of(start); node != depend::kNoNode) {
    writer.add(node, RouteLink::kStart);
    writer.add_way(search.way_from(node));
    return writer.take();
  }
  if (!start.other_edge) return {};
  const std::optional<OmittedWrite> omitted = omitted_write(graph, search, start.nodes.back(), *start.other_edge);
  if (!omitted) return {};
  writer.add(start.nodes.back(), RouteLink::kStart);
  if (writer.is_empty()) return {};
  writer.add_omitted(omitted->statement);
  writer.add(omitted->use, RouteLink::kKept);
  writer.add_way(search.way_from(omitted->use));
  return writer.take();
}

/// By way of another branch that was found: to it through dependences, and on from there as is known.
Route route_through(const DependenceGraph& graph, const RouteStart& start, const RouteStart& other,
                    const Route& from_other) {
  const DependenceSearch search(graph, {.nodes = other.nodes}, std::span(&start, 1));
  const Node node = search.nearest_of(start);
  if (node == depend::kNoNode) return {};
  RouteWriter writer(graph);
  writer.add(node, RouteLink::kStart);
  writer.add_way(search.way_from(node));
  writer.add_route(std::span(from_other).subspan(1));
  return writer.take();
}

}  // namespace

std::vector<Route> routes_to_failure(const DependenceGraph& graph, const RouteEnd& failure,
                                     std::span<const RouteStart> starts) {
  if (starts.empty()) return {};
  const DependenceSearch search(graph, failure, starts);
  std::vector<Route> routes;
  for (const RouteStart& start : starts) routes.push_back(route_from(graph, search, start));
  const std::vector<Route> direct = routes;
  for (size_t each = 0; each < starts.size(); ++each) {
    for (size_t other = 0; other < starts.size() && routes[each].empty(); ++other) {
      if (direct[other].empty() || !starts[other].other_edge) continue;
      routes[each] = route_through(graph, starts[each], starts[other], direct[other]);
    }
  }
  return routes;
}

}  // namespace culprit
