// Relevant inputs as ED fig. 4.4 computes them: forwards, with sets for every value. What src/depend computes backwards
// is compared with this.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/input_values.h"

namespace culprit::depend {

class ForwardInputs {
 public:
  /// The graph must stay.
  explicit ForwardInputs(const DependenceGraph& graph);
  ~ForwardInputs();

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

}  // namespace culprit::depend
