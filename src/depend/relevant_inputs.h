// Relevant inputs (ED §4.1): which bytes of the inputs a value is derived from, and which influenced it by deciding
// what ran (control) or by choosing the memory that is accessed (address).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/input_values.h"

namespace culprit::depend {

class RelevantInputs {
 public:
  /// The graph must stay.
  explicit RelevantInputs(const DependenceGraph& graph);
  ~RelevantInputs();

  /// Of the values of these nodes and bytes of input together; each is computed once. Throws CorruptData.
  InputValue of(std::span<const NodeNumber> criterion);
  /// Of a byte that was put out. Throws CorruptData.
  InputValue of_output(OutputStream stream, uint64_t offset);

  /// Of two values together.
  InputValue joined(InputValue one, InputValue other);

  const InputValues& values() const;
  /// Of how many nodes the value has been computed.
  uint64_t computed() const;

 private:
  class Computation;
  std::unique_ptr<Computation> computation_;
};

/// What a statement's execution computes: its branch or what it stores, returns or copies; of one that does nothing of
/// these all that it uses. Numbers for RelevantInputs::of.
std::vector<NodeNumber> values_made(const DependenceGraph& graph, const std::vector<Node>& values_used);

}  // namespace culprit::depend
