// Slices: what a value depends on (backward), or what depends on it (forward).
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/node_set.h"

namespace culprit::depend {

struct SliceOptions {
  bool data = true;
  bool address = true;
  bool control = true;
  /// Operations for which it says true are left out, with all that is reached only through them.
  std::function<bool(uint32_t operation)> prune;
};

/// Nodes by number; the criterion's are among them.
using Slice = NumberSet;

bool is_wanted(EdgeKind kind, const SliceOptions& options);

Slice backward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion,
                     const SliceOptions& options = {});
Slice forward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options = {});
/// What lies on the way from `from` to `to`.
Slice chop(const DependenceGraph& graph, const std::vector<Node>& from, const std::vector<Node>& to,
           const SliceOptions& options = {});

/// A statement instance of a slice.
struct StatementInstance {
  Execution execution;
  uint32_t statement;
  auto operator<=>(const StatementInstance&) const = default;
};
/// Ascending: in order of time.
std::vector<StatementInstance> statement_instances(const DependenceGraph& graph, const Slice& slice);
/// The same of nodes in any order.
std::vector<StatementInstance> statement_instances(const DependenceGraph& graph, const std::vector<Node>& nodes);
/// How often each instance's block had been executed by then, itself included. The instances must be ascending.
std::vector<uint64_t> numbers_of(const DependenceGraph& graph, const std::vector<StatementInstance>& instances);
/// How many instances of each statement of the program take part.
std::vector<uint64_t> count_instances(const DependenceGraph& graph, const Slice& slice);

/// Statements of the slice that read memory which nothing wrote in the trace, latest first, each once.
std::vector<uint32_t> reads_without_source(const DependenceGraph& graph, const Slice& slice);

/// `from` depends on `to`, numbers of two different instances.
struct InstanceEdge {
  size_t from, to;
  EdgeKind kind;
  auto operator<=>(const InstanceEdge&) const = default;
};
/// The dependences between the slice's instances of the kinds that `options` asks for; ascending. Nodes whose instance
/// is not among `instances` are passed over.
std::set<InstanceEdge> instance_edges(const DependenceGraph& graph, const Slice& slice,
                                      const std::vector<StatementInstance>& instances, const SliceOptions& options);

}  // namespace culprit::depend
