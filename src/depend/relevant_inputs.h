// Relevant inputs (ED §4.1): which bytes of the inputs a value is derived from, and which influenced it by deciding
// what ran (control) or by choosing the memory that is accessed (address).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/input_parts.h"
#include "depend/input_values.h"

namespace culprit::depend {

/// A value that is asked for.
struct InputCriterion {
  NodeNumber source;     ///< may be a byte of input
  bool is_weak = false;  ///< its precise value does not matter
};

class RelevantInputs {
 public:
  /// The graph must stay.
  explicit RelevantInputs(const DependenceGraph& graph);

  /// Of these values together. Throws CorruptData.
  InputValue of(std::span<const InputCriterion> criterion);
  /// The same, of all the precise value.
  InputValue of(std::span<const NodeNumber> criterion);
  /// Of the bytes [first, end) that were put out. Throws CorruptData.
  InputValue of_output(OutputStream stream, uint64_t first, uint64_t end);

  const InputValues& values() const { return values_; }
  /// How many nodes the latest question came by, each as often as it had to be looked at.
  uint64_t visited() const { return visited_; }

 private:
  const DependenceGraph& graph_;
  InputParts parts_;
  InputValues values_;
  uint64_t visited_ = 0;
};

/// What a statement's execution computes: its branch or what it stores, returns or copies; of one that does nothing of
/// these all that it uses. Numbers for RelevantInputs::of.
std::vector<NodeNumber> values_made(const DependenceGraph& graph, const std::vector<Node>& values_used);

}  // namespace culprit::depend
