// Latest first, as backward_slice.cc: nearly all dependences lead back in time, so nearly always all demands on a node
// are known when it is looked at. Results of calls lead forward; what gets a new demand then is looked at again.
#include "depend/input_walk.h"

#include <algorithm>
#include <bit>
#include <new>

namespace culprit::depend {

InputWalk::InputWalk(const DependenceGraph& graph, const InputParts& parts, InputFacts& facts)
    : graph_(graph),
      layout_(graph.layout()),
      parts_(parts),
      facts_(facts),
      bound_(graph.file().numbers()),
      demanded_(static_cast<Demand*>(std::calloc(bound_ + 1, sizeof(Demand)))),
      open_(bound_ + 1),
      window_(graph.file()) {
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
  slots_.resize(slots);
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
  for (uint32_t from = 0; from < count; from += 64) {
    waiting_[from / 64] = open_.take_range(place_.first_number + from, std::min(count - from, 64u));
  }
  // Within the block sources come before what they are used by.
  for (uint32_t at = (count + 63) / 64; at-- > 0;) {
    while (waiting_[at] != 0) {
      const auto bit = static_cast<uint32_t>(63 - std::countl_zero(waiting_[at]));
      waiting_[at] &= ~(uint64_t{1} << bit);
      const uint32_t place = at * 64 + bit;
      ++visited_;
      take_node(first + place, place_.first_number + place, demanded_.get()[place_.first_number + place]);
    }
  }
  reach_slots();
}

void InputWalk::take_node(uint32_t node, uint64_t number, Demand wished) {
  if (parts_.is_call(node)) {
    if (const uint64_t* byte = parts_.byte_read(number)) {
      reach_byte(input_byte(*byte), wished);
    }
  }
  if (parts_.maps(node)) {
    const Demand exactly = demand::mapped(wished);
    NodeNumber predicate = kNoNumber;
    graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) { predicate = parts_.deciding(each); });
    if (exactly != 0 && predicate != kNoNumber) {
      has_chains_ = has_chains_ || (exactly & demand::kExactlyDerived) != 0;
      reach_node(predicate.bits, exactly);
    }
  }
  const bool varies = parts_.varies(node) && demand::weakened(wished) != wished;
  if (varies && parts_.comparison_holds(place_, node)) return pass_operands_of_comparison(node, number, wished);
  for (const StaticPart& part : parts_.parts_of(place_, node, number)) {
    pass(part, demand::through(varies ? parts_.way_of(place_, node, part) : part.way, wished));
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
  if (part.is_slot) {
    SlotDemand& slot = slots_[part.source];
    if (slot.wished == 0) reached_.push_back(part.source);
    slot.wished |= wished;
    slot.decides = slot.decides || part.decides();
    return;
  }
  Demand& demanded = demanded_.get()[place_.first_number + part.source];
  if ((wished & ~demanded) == 0) return;
  demanded |= wished;
  waiting_[part.source / 64] |= uint64_t{1} << (part.source % 64);
}

void InputWalk::reach_slots() {
  if (reached_.empty()) return;
  const std::span<const uint32_t> raw = graph_.slots_of(place_);
  const uint64_t bias = place_.first_number - format::kGraphDistanceBias;
  for (const uint32_t slot : reached_) {
    const SlotDemand demand = slots_[slot];
    slots_[slot] = {};
    const uint64_t number = bias + (raw[slot] & ~format::kGraphFromBody);
    if ((raw[slot] & format::kGraphFar) == 0 && number < bound_) {
      reach({number}, demand.wished, demand.decides);
    } else {
      graph_.visit_bytes(place_, slot, [&](NodeNumber source) { reach(source, demand.wished, demand.decides); });
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
