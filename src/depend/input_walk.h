// A walk backwards over what a criterion depends on that finds its sets of inputs (demand.h).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "depend/demand.h"
#include "depend/input_facts.h"
#include "depend/input_parts.h"
#include "depend/node_set.h"

namespace culprit::depend {

class InputWalk {
 public:
  /// All must stay.
  InputWalk(const DependenceGraph& graph, const InputParts& parts, InputFacts& facts);

  /// Begins at a source, which may be a byte of input.
  void ask(NodeNumber source, Demand wished) { reach(source, wished, false); }
  /// Goes over all that is demanded.
  void walk();

  /// Bytes of input of a set, and those of them of which the precise value matters.
  const NumberSet& all(InputRole role) const { return all_[static_cast<size_t>(role)]; }
  const NumberSet& precise(InputRole role) const { return precise_[static_cast<size_t>(role)]; }
  /// Whether precise inputs that the criterion is derived from were mapped to constants.
  bool has_chains() const { return has_chains_; }
  uint64_t visited() const { return visited_; }

 private:
  void take_execution();
  void take_node(uint32_t node, uint64_t number, Demand wished);
  void pass(const StaticPart& part, Demand wished);
  void pass_operands_of_comparison(uint32_t node, uint64_t number, Demand wished);
  void reach_slots();
  void reach(NodeNumber source, Demand wished, bool decides);
  void reach_byte(NodeNumber byte, Demand wished);
  void reach_node(uint64_t number, Demand wished) {
    Demand& demanded = demanded_.get()[number];
    if ((wished & ~demanded) == 0) return;
    demanded |= wished;
    open_.insert(number);
  }

  struct Free {
    void operator()(Demand* all) const { std::free(all); }
  };
  struct SlotDemand {
    Demand wished = 0;
    bool decides = false;
  };

  const DependenceGraph& graph_;
  const BlockLayout& layout_;
  const InputParts& parts_;
  InputFacts& facts_;
  uint64_t bound_;
  std::unique_ptr<Demand, Free> demanded_;  ///< by number
  LargestFirst open_;
  std::vector<NumberSet> all_, precise_;  ///< by role
  ExecutionPlace place_;
  ChunkWindow window_;
  uint64_t visited_ = 0;
  bool has_chains_ = false;

  // Of the execution that is looked at.
  std::vector<uint64_t> waiting_;  ///< its nodes, as bits
  std::vector<SlotDemand> slots_;
  std::vector<uint32_t> reached_;  ///< slots with a demand
};

}  // namespace culprit::depend
