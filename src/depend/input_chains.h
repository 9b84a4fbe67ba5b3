// The chains of constants that precise inputs of a value were mapped to (ED §4.1.4).
//
// Of two chains of which one begins the other only the longer stays, and there are bounds, so chains are no unions over
// paths: they are computed forwards, though only over what the value is derived from precisely.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depend/input_facts.h"
#include "depend/input_values.h"

namespace culprit::depend {

class InputChains {
 public:
  /// All must stay.
  InputChains(const InputParts& parts, InputFacts& facts, InputValues& values)
      : parts_(parts), facts_(facts), values_(values) {}

  /// What the source is derived from precisely, with its chains.
  InputValue of(NodeNumber source);

 private:
  NodeNumber node_needed(NodeNumber source) const { return is_input_byte(source) ? parts_.reading(source) : source; }
  bool is_known(NodeNumber node) const { return node == kNoNumber || known_.contains(node.bits); }
  InputValue source_value(NodeNumber source);
  InputValue joined_parts();
  void compute(uint64_t number);
  bool waits_for_others(uint64_t number);
  template <typename Visit>
  void visit_needed(Visit&& visit) const;

  const InputParts& parts_;
  InputFacts& facts_;
  InputValues& values_;
  std::unordered_map<uint64_t, InputValue> known_;
  std::vector<uint64_t> open_;
  std::unordered_set<uint64_t> begun_;
  InputFacts::Made made_;
};

}  // namespace culprit::depend
