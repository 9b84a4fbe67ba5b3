#include "depend/input_chains.h"

namespace culprit::depend {

InputValue InputChains::of(NodeNumber source) {
  if (const NodeNumber node = node_needed(source); node != kNoNumber) compute(node.bits);
  return source_value(source);
}

InputValue InputChains::source_value(NodeNumber source) {
  const NodeNumber node = node_needed(source);
  const auto found = node == kNoNumber ? known_.end() : known_.find(node.bits);
  const InputValue value = found == known_.end() ? kNoInput : found->second;
  return is_input_byte(source) ? values_.joined(values_.byte(ordinal_of(source)), value) : value;
}

void InputChains::compute(uint64_t number) {
  open_.assign(1, number);
  while (!open_.empty()) {
    const uint64_t next = open_.back();
    if (known_.contains(next)) {
      open_.pop_back();
      continue;
    }
    facts_.find(next, made_);
    if (waits_for_others(next)) continue;
    known_.emplace(next, joined_parts());
    open_.pop_back();
  }
}

template <typename Visit>
void InputChains::visit_needed(Visit&& visit) const {
  for (const InputPart& part : made_.parts) {
    if (part.way == InputWay::kPrecise) visit(node_needed(part.source));
  }
  if (made_.predicate != kNoNumber) visit(made_.predicate);
}

/// What is being computed already, further down, is not waited for.
bool InputChains::waits_for_others(uint64_t number) {
  if (begun_.erase(number) > 0) return false;
  const size_t before = open_.size();
  visit_needed([&](NodeNumber node) {
    if (!is_known(node) && !begun_.contains(node.bits)) open_.push_back(node.bits);
  });
  if (open_.size() == before) return false;
  begun_.insert(number);
  return true;
}

InputValue InputChains::joined_parts() {
  InputValue value = kNoInput;
  for (const InputPart& part : made_.parts) {
    if (part.way == InputWay::kPrecise) value = values_.joined(value, source_value(part.source));
  }
  if (made_.predicate != kNoNumber) {
    value = values_.joined(value, values_.mapped(source_value(made_.predicate), made_.operation));
  }
  return made_.byte ? values_.joined(value, values_.byte(*made_.byte)) : value;
}

}  // namespace culprit::depend
