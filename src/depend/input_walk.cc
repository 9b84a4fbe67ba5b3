// Latest first, as backward_slice.cc: nearly all dependences lead back in time, so nearly always all demands on a node
// are known when it is looked at. Results of calls lead forward; what gets a new demand then is looked at again.
#include "depend/input_walk.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace culprit::depend {

namespace {

constexpr uint32_t kKnownBits = 14;
constexpr size_t kMostPassed = size_t{1} << 20;

}  // namespace

InputWalk::InputWalk(const DependenceGraph& graph, const InputParts& parts, InputFacts& facts)
    : graph_(graph),
      layout_(graph.layout()),
      parts_(parts),
      facts_(facts),
      bound_(graph.file().numbers()),
      demanded_(static_cast<uint16_t*>(std::calloc(bound_ + 1, sizeof(uint16_t)))),
      demands_{0},
      number_of_(size_t{1} << demand::kBits),
      open_(bound_ + 1),
      window_(graph.file()),
      known_(size_t{1} << kKnownBits) {
  if (!demanded_) throw std::bad_alloc();
  for (size_t role = 0; role < kInputRoles; ++role) {
    all_.emplace_back(graph.file().ordinals());
    precise_.emplace_back(graph.file().ordinals());
  }
  uint32_t nodes = 0, slots = 0;
  for (uint32_t block = 0; block < layout_.slots.size(); ++block) {
    nodes = std::max(nodes, layout_.nodes_of(block));
    slots = std::max(slots, layout_.slots[block]);
  }
  waiting_.resize(nodes / 64 + 1);
  by_place_.resize(nodes);
  slots_.resize(slots);
  for (uint32_t node = 0; node + 1 < layout_.nodes.size(); ++node) {
    is_static_.push_back(parts_.static_parts_of(node) ? 1 : 0);
  }
}

void InputWalk::walk() {
  while (const std::optional<uint64_t> number = open_.largest()) {
    graph_.move_to(place_, *number);
    window_.come_to(place_.chunk_number);
    take_execution();
  }
}

void InputWalk::take_execution() {
  const uint32_t first = layout_.first_node[place_.block];
  const uint32_t count = layout_.nodes_of(place_.block);
  outcome_ = parts_.outcome(place_);
  for (uint32_t from = 0; from < count; from += 64) {
    waiting_[from / 64] = open_.take_range(place_.first_number + from, std::min(count - from, 64u));
  }
  // Within the block sources come before what they are used by.
  for (uint32_t at = (count + 63) / 64; at-- > 0;) {
    while (waiting_[at] != 0) {
      const auto bit = static_cast<uint32_t>(63 - std::countl_zero(waiting_[at]));
      waiting_[at] &= ~(uint64_t{1} << bit);
      const uint32_t place = at * 64 + bit;
      const uint64_t number = place_.first_number + place;
      const Demand wished = demanded(number);
      ++visited_;
      if (is_static_[first + place] != 0) {
        for (const Passed& each : passed_on(first + place, wished, outcome_)) take(each);
      } else {
        take_node(first + place, number, wished);
      }
    }
  }
  reach_slots();
}

std::span<const InputWalk::Passed> InputWalk::passed_on(uint32_t node, Demand wished, Outcome outcome) {
  const uint64_t key = (uint64_t{node} << 18 | wished) << 3 | static_cast<uint64_t>(outcome);
  Known& known = known_[(key * 0x9e3779b97f4a7c15) >> (64 - kKnownBits)];
  if (known.key != key) {
    if (passed_.size() > kMostPassed) {
      passed_.clear();
      std::fill(known_.begin(), known_.end(), Known{});
    }
    const auto first = static_cast<uint32_t>(passed_.size());
    const uint32_t first_node = layout_.first_node[layout_.block_of[parts_.operation_of(node)]];
    find_passed(first_node, node - first_node, wished, outcome);
    known = {key, first, static_cast<uint32_t>(passed_.size()) - first};
  }
  return std::span(passed_).subspan(known.first, known.count);
}

void InputWalk::find_passed(uint32_t first, uint32_t place, Demand wished, Outcome outcome) {
  by_place_[place] = wished;
  for (uint32_t at = place + 1; at-- > 0;) {
    const Demand here = std::exchange(by_place_[at], 0);
    if (here == 0) continue;
    if (const auto parts = parts_.static_parts_of(first + at)) {
      add_passed(first + at, *parts, here, outcome);
    } else {
      passed_.push_back({Passed::kNode, at, here});
    }
  }
}

void InputWalk::add_passed(uint32_t node, std::span<const StaticPart> parts, Demand wished, Outcome outcome) {
  if (parts_.maps(node) && demand::mapped(wished) != 0) {
    passed_.push_back({Passed::kMapped, kControlSlot, demand::mapped(wished)});
  }
  const bool holds = parts_.comparison_holds(node, outcome);  // of a single value
  for (const StaticPart& part : parts) {
    const InputWay way = parts_.way_of(node, part, outcome);
    const Demand passed = demand::through(holds && way == InputWay::kWeak ? InputWay::kPrecise : way, wished);
    if (passed == 0) continue;
    if (!part.is_slot) {
      by_place_[part.source] |= passed;
    } else {
      passed_.push_back({kind_of(part), part.source, passed});
    }
  }
}

void InputWalk::take(const Passed& passed) {
  if (passed.kind == Passed::kMapped) return take_mapping(passed.wished);
  if (passed.kind == Passed::kNode) return pass({passed.source, InputWay::kPrecise, false, false}, passed.wished);
  SlotDemand& slot = slots_[passed.source];
  if (slot.wished == 0) reached_.push_back(passed.source);
  slot.wished |= passed.wished;
  slot.kind = passed.kind;
}

void InputWalk::take_mapping(Demand wished) {
  NodeNumber predicate = kNoNumber;
  graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) { predicate = parts_.deciding(each); });
  if (predicate == kNoNumber) return;
  has_chains_ = has_chains_ || (wished & demand::kExactlyDerived) != 0;
  reach_node(predicate.bits, wished);
}

/// Of nodes of which only the execution tells.
void InputWalk::take_node(uint32_t node, uint64_t number, Demand wished) {
  if (parts_.is_call(node)) {
    if (const uint64_t* byte = parts_.byte_read(number)) reach_byte(input_byte(*byte), wished);
  }
  if (demand::weakened(wished) != wished && parts_.comparison_holds(node, outcome_)) {
    return pass_operands_of_comparison(node, number, wished);
  }
  for (const StaticPart& part : parts_.parts_of(place_, node, number)) {
    pass(part, demand::through(part.way, wished));
  }
}

void InputWalk::pass_operands_of_comparison(uint32_t node, uint64_t number, Demand wished) {
  const auto parts = parts_.parts_of(place_, node, number);
  // A slot may hold several sources, each of which is compared with all others.
  const auto visit_sources = [&](auto&& visit) {
    size_t index = 0;
    for (const StaticPart& part : parts) {
      if (!part.is_slot) {
        visit(index++, part, NodeNumber{place_.first_number + part.source});
        continue;
      }
      graph_.visit_bytes(place_, part.source, [&](NodeNumber source) { visit(index++, part, source); });
    }
  };
  visit_sources([&](size_t index, const StaticPart& part, NodeNumber source) {
    bool precise = part.way == InputWay::kWeak;
    visit_sources([&](size_t other, const StaticPart&, NodeNumber compared) {
      precise = precise && (other == index || !facts_.is_derived(compared));
    });
    const Demand passed = demand::through(precise ? InputWay::kPrecise : part.way, wished);
    if (passed == 0) return;
    if (part.is_slot) return reach(source, passed, false);
    pass(part, passed);
  });
}

void InputWalk::pass(const StaticPart& part, Demand wished) {
  if (wished == 0) return;
  if (part.is_slot) return take({kind_of(part), part.source, wished});
  if (!demand(place_.first_number + part.source, wished)) return;
  waiting_[part.source / 64] |= uint64_t{1} << (part.source % 64);
}

void InputWalk::reach_slots() {
  if (reached_.empty()) return;
  const std::span<const uint32_t> raw = graph_.slots_of(place_);
  const uint64_t bias = place_.first_number - format::kGraphDistanceBias;
  for (const uint32_t slot : reached_) {
    SlotDemand slot_demand = std::exchange(slots_[slot], {});
    const bool decides = slot_demand.kind == Passed::kDeciding;
    if (slot_demand.kind == Passed::kLoaded && demand::weakened(slot_demand.wished) != slot_demand.wished &&
        parts_.is_computed_by_library(place_, slot)) {
      slot_demand.wished = demand::weakened(slot_demand.wished);
      if (slot_demand.wished == 0) continue;
    }
    const uint64_t number = bias + (raw[slot] & ~format::kGraphFromBody);
    if ((raw[slot] & format::kGraphFar) == 0 && number < bound_) {
      reach({number}, slot_demand.wished, decides);
    } else {
      graph_.visit_bytes(place_, slot, [&](NodeNumber source) { reach(source, slot_demand.wished, decides); });
    }
  }
  reached_.clear();
}

void InputWalk::reach(NodeNumber source, Demand wished, bool decides) {
  if (is_input_byte(source)) {
    reach_byte(source, wished);
    if (const NodeNumber reading = parts_.reading(source); reading != kNoNumber) reach_node(reading.bits, wished);
    return;
  }
  reach_node((decides ? parts_.deciding(source) : source).bits, wished);
}

/// Its own set is {byte=}, so what is wished as far as it is precise is all that is wished.
void InputWalk::reach_byte(NodeNumber byte, Demand wished) {
  for (uint32_t role = 0; role < kInputRoles; ++role) {
    if ((wished >> (demand::kWeakExact + role) & 1) != 0) all_[role].insert(ordinal_of(byte));
    if ((wished >> (demand::kStrongExact + role) & 1) != 0) precise_[role].insert(ordinal_of(byte));
  }
}

}  // namespace culprit::depend
