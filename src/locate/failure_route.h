// How what was found travelled to the failure: from an instance of a branch, call or write, a shortest way through the
// dependences of the failing run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

/// How a step of a route follows from the one before it.
enum class RouteLink : uint8_t {
  kStart,     ///< it is what was found
  kPassed,    ///< a value came here by copies only
  kComputed,  ///< its value was computed from one that came from there
  kChosen,    ///< which memory or function is meant here was computed from it
  kExecuted,  ///< it was decided there that this is executed
  kLeftOut,   ///< it was decided there that this is not executed
  kKept,      ///< here is used what stands there because the write of the step before was left out
};

struct RouteStep {
  uint32_t statement = 0;
  RouteLink link = RouteLink::kStart;
  uint64_t instance = 0;  ///< which execution of the statement's block, from 1; 0: it was not executed
};

/// From what was found to the failure; no steps where no dependence leads there. The program's own statements only.
using Route = std::vector<RouteStep>;

/// Where routes end.
struct RouteEnd {
  std::vector<depend::Node> nodes;            ///< what failed
  depend::Node put_out_by = depend::kNoNode;  ///< of a wrong output, of which the others are the sources
};

/// Where a route begins.
struct RouteStart {
  std::vector<depend::Node> nodes;  ///< any of them
  /// Of a branch: the edge by which it would have gone otherwise, for what was left out.
  std::optional<uint32_t> other_edge = std::nullopt;
};

/// A route for each start.
std::vector<Route> routes_to_failure(const depend::DependenceGraph& graph, const RouteEnd& failure,
                                     std::span<const RouteStart> starts);

}  // namespace culprit
