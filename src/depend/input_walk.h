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
  /// What a demand on a node comes to in its block.
  struct Passed {
    enum Kind : uint8_t {
      kSlot,
      kDeciding,  ///< a slot of what decided
      kLoaded,    ///< a slot of the memory that a load reads
      kMapped,    ///< the predicate whose precise inputs are mapped to a constant; also in a slot
      kNode,      ///< a node, by its place, of which only the execution tells what it passes on
    } kind;
    uint32_t source;
    Demand wished;
  };
  /// What a demand comes to in executions with one outcome; remembered, since most executions repeat others.
  struct Known {
    uint64_t key = ~uint64_t{0};
    uint32_t first = 0, count = 0;
  };

  static Passed::Kind kind_of(const StaticPart& part) {
    return part.is_memory ? Passed::kLoaded : part.decides() ? Passed::kDeciding : Passed::kSlot;
  }
  void take_execution();
  void take_node(uint32_t node, uint64_t number, Demand wished);
  void pass(const StaticPart& part, Demand wished);
  void pass_operands_of_comparison(uint32_t node, uint64_t number, Demand wished);
  std::span<const Passed> passed_on(uint32_t node, Demand wished, Outcome outcome);
  void find_passed(uint32_t first, uint32_t place, Demand wished, Outcome outcome);
  void add_passed(uint32_t node, std::span<const StaticPart> parts, Demand wished, Outcome outcome);
  void take(const Passed& passed);
  void take_mapping(Demand wished);
  void reach_slots();
  void reach(NodeNumber source, Demand wished, bool decides);
  void reach_byte(NodeNumber byte, Demand wished);
  Demand demanded(uint64_t number) const { return demands_[demanded_.get()[number]]; }
  /// Whether that is more than was demanded of the node before.
  bool demand(uint64_t number, Demand wished) {
    const Demand before = demanded(number);
    if ((wished & ~before) == 0) return false;
    uint16_t& known = number_of_[before | wished];
    if (known == 0) {
      known = static_cast<uint16_t>(demands_.size());
      demands_.push_back(before | wished);
    }
    demanded_.get()[number] = known;
    return true;
  }
  void reach_node(uint64_t number, Demand wished) {
    if (demand(number, wished)) open_.insert(number);
  }

  struct Free {
    void operator()(uint16_t* all) const { std::free(all); }
  };
  struct SlotDemand {
    Demand wished = 0;
    Passed::Kind kind = Passed::kSlot;
  };

  const DependenceGraph& graph_;
  const BlockLayout& layout_;
  const InputParts& parts_;
  InputFacts& facts_;
  uint64_t bound_;
  std::unique_ptr<uint16_t, Free> demanded_;  ///< by number: index of `demands_`
  std::vector<Demand> demands_;               ///< those met, the empty one first; there are less than 6000
  std::vector<uint16_t> number_of_;           ///< by demand; 0: not met
  LargestFirst open_;
  std::vector<NumberSet> all_, precise_;  ///< by role
  ExecutionPlace place_;
  ChunkWindow window_;
  uint64_t visited_ = 0;
  bool has_chains_ = false;

  std::vector<Known> known_;
  std::vector<Passed> passed_;    ///< of what is known
  std::vector<Demand> by_place_;  ///< of the block that find_passed looks at
  Outcome outcome_ = Outcome::kUnknown;
  std::vector<uint8_t> is_static_;  ///< per node: InputParts::static_parts_of

  // Of the execution that is looked at.
  std::vector<uint64_t> waiting_;  ///< its nodes, as bits
  std::vector<SlotDemand> slots_;
  std::vector<uint32_t> reached_;  ///< slots with a demand
};

}  // namespace culprit::depend
