#include "depend/input_facts.h"

#include <algorithm>
#include <new>

namespace culprit::depend {
namespace {

/// Ways by which what a source is derived from the node is, too.
bool carries(InputWay way, bool precisely) {
  return way == InputWay::kPrecise || (way == InputWay::kWeak && !precisely);
}

}  // namespace

InputFacts::InputFacts(const DependenceGraph& graph, const InputParts& parts)
    : graph_(graph),
      parts_(parts),
      facts_(static_cast<uint8_t*>(std::calloc(graph.file().numbers() + 1, sizeof(uint8_t)))) {
  if (!facts_) throw std::bad_alloc();
}

/// Whether it is a comparison that holds.
bool InputFacts::gather(uint64_t number, Made& made) {
  made.parts.clear();
  made.predicate = kNoNumber;
  graph_.move_to(place_, number);
  const uint32_t node = graph_.static_node(place_, number);
  made.operation = parts_.operation_of(node);
  made.byte = parts_.is_call(node) ? parts_.byte_read(number) : nullptr;
  const Outcome outcome = parts_.outcome(place_);
  for (const StaticPart& part : parts_.parts_of(place_, node, number)) {
    const bool computed = part.is_memory && parts_.is_computed_by_library(place_, part.source);
    const InputWay way = computed ? InputWay::kWeak : parts_.way_of(node, part, outcome);
    if (!part.is_slot) {
      made.parts.push_back({{place_.first_number + part.source}, way});
      continue;
    }
    graph_.visit_bytes(place_, part.source, [&](NodeNumber source) {
      made.parts.push_back({part.decides() ? parts_.deciding(source) : source, way});
    });
  }
  if (parts_.maps(node)) {
    graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) { made.predicate = parts_.deciding(each); });
  }
  return parts_.comparison_holds(node, outcome);
}

void InputFacts::find(uint64_t number, Made& made) {
  if (!gather(number, made)) return;
  std::vector<uint8_t> derived;
  for (const InputPart& part : made.parts) derived.push_back(is_derived(part.source) ? 1 : 0);
  const auto all = std::count(derived.begin(), derived.end(), 1);
  for (size_t each = 0; each < made.parts.size(); ++each) {
    const bool alone = all == derived[each];
    if (alone && made.parts[each].way == InputWay::kWeak) made.parts[each].way = InputWay::kPrecise;
  }
}

bool InputFacts::holds(NodeNumber source, Fact fact) {
  const Answer known = look_at(source, fact);
  if (known != Answer::kUnknown) return known == Answer::kYes;
  while (!open_.empty()) {
    const Question question = open_.back();
    uint8_t& facts = facts_.get()[question.number];
    if ((facts & kKnown << question.fact) != 0) {
      open_.pop_back();
      continue;
    }
    facts |= static_cast<uint8_t>(kAsked << question.fact);
    const Answer found = answer(question);
    if (found == Answer::kUnknown) continue;
    facts |= static_cast<uint8_t>(kKnown << question.fact);
    if (found == Answer::kYes) facts |= static_cast<uint8_t>(kHolds << question.fact);
    open_.pop_back();
  }
  return look_at(source, fact) == Answer::kYes;
}

InputFacts::Answer InputFacts::look_at(NodeNumber source, Fact fact) {
  if (is_input_byte(source)) return Answer::kYes;
  const uint8_t facts = facts_.get()[source.bits];
  if ((facts & kKnown << fact) != 0) return (facts & kHolds << fact) != 0 ? Answer::kYes : Answer::kNo;
  // What is asked for already, further down, is not waited for.
  if ((facts & kAsked << fact) != 0) return Answer::kNo;
  open_.push_back({source.bits, fact});
  return Answer::kUnknown;
}

InputFacts::Answer InputFacts::answer(const Question& question) {
  const bool compares = gather(question.number, made_);
  if (made_.byte) return Answer::kYes;
  const bool precisely = question.fact == kPrecisely;
  for (size_t each = 0; each < made_.parts.size(); ++each) {
    const InputPart part = made_.parts[each];
    bool comes = carries(part.way, precisely);
    if (!comes && compares && precisely && part.way == InputWay::kWeak) {
      comes = true;
      for (size_t other = 0; other < made_.parts.size() && comes; ++other) {
        if (other == each) continue;
        const Answer derived = look_at(made_.parts[other].source, kDerived);
        if (derived == Answer::kUnknown) return derived;
        comes = derived == Answer::kNo;
      }
    }
    if (!comes) continue;
    const Answer found = look_at(part.source, question.fact);
    if (found != Answer::kNo) return found;
  }
  return made_.predicate == kNoNumber ? Answer::kNo : look_at(made_.predicate, kPrecisely);
}

}  // namespace culprit::depend
