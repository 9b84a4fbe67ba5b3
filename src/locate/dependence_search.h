// The shortest ways back from a failure through the dependences of its run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "depend/dependence_graph.h"
#include "locate/active_calls.h"
#include "locate/failure_route.h"

namespace culprit {

class DependenceSearch {
 public:
  /// Looks back from the failure, nearest first, until a node of each start is found; at nothing that was executed
  /// before all of them, but for calls that had not returned by then.
  DependenceSearch(const depend::DependenceGraph& graph, const RouteEnd& failure, std::span<const RouteStart> starts);

  struct Link {
    depend::Node node;
    RouteLink how;  ///< it depends on the node before it
  };
  /// The nearest of the start's nodes; kNoNode when none was found.
  depend::Node nearest_of(const RouteStart& start) const;
  /// From `node`, which was found, to the failure.
  std::vector<Link> way_from(depend::Node node) const;
  /// All that was looked at, nearest first.
  void for_each(const std::function<bool(depend::Node)>& visit) const;

 private:
  struct Reached {
    uint32_t distance;
    uint64_t next;  ///< number of the node that depends on it; its own at the failure
    RouteLink how;
    bool done;
  };
  void look_from(uint64_t number, uint32_t distance);
  void reach(uint64_t number, uint32_t distance, uint64_t next, RouteLink how);

  const depend::DependenceGraph& graph_;
  ActiveCalls before_;
  depend::ExecutionPlace place_;
  std::unordered_map<uint64_t, Reached> reached_;  ///< by number
  std::vector<std::vector<uint64_t>> queues_;      ///< by distance
  std::vector<uint64_t> order_;
};

}  // namespace culprit
