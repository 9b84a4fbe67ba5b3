#include "depend/stack_variables.h"

#include <algorithm>

#include "depend/variable_bounds.h"

namespace culprit::depend {

using namespace format;

StackVariables::StackVariables(const program::ProgramModel& model)
    : model_(model), functions_(model.functions().size()), has_assembly_(model.functions().size()) {
  for (const CallRecord& call : model.sections().calls) {
    if (call.kind == CallKind::kAssembly) has_assembly_[model.function_of_statement(call.statement)] = true;
  }
  set_thread(0);
}

void StackVariables::set_thread(uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  frames_ = &threads_[thread].frames;
  unseen_ = &threads_[thread].unseen;
}

const StackVariables::Function& StackVariables::function(uint32_t number) {
  Function& function = functions_[number];
  if (function.is_known) return function;
  function.is_known = true;
  // What assembly writes, nobody tells.
  if (has_assembly_[number]) return function;
  for (const uint32_t each : model_.variables_of(number)) {
    const VariableRecord& variable = model_.variable(each);
    const uint64_t bytes = bytes_of_type(model_, variable.type);
    if (variable.home != HomeKind::kUserStack || bytes == 0 || each >= definition::kMostUnwritten) continue;
    function.variables.push_back({static_cast<uint64_t>(variable.offset), bytes, each});
  }
  std::sort(function.variables.begin(), function.variables.end(),
            [](const Variable& one, const Variable& other) { return one.offset < other.offset; });
  const auto bases = model_.bases_of(number);
  for (uint32_t each = 0; each < bases.size() && !function.variables.empty(); ++each) {
    if (bases[each].private_offset == kNone) function.base = each;
  }
  return function;
}

void StackVariables::enter(const Activation& activation, uint64_t number) {
  const Function& its = function(activation.function);
  if (its.base != kNone) {
    frames_->push_back({activation.bases[its.base], number, activation.frame, activation.function});
  }
}

void StackVariables::leave(uint32_t frame) {
  if (frames_->empty() || frames_->back().frame != frame) return;
  frames_->pop_back();
  *unseen_ = std::min(*unseen_, frames_->size());
}

void StackVariables::note_unseen(const trace::ReturnedCall& call) {
  constexpr uint64_t kLowestAddress = 0x10000, kHighestAddress = uint64_t{1} << 47;
  const auto arguments = std::span(call.arguments, call.count);
  const bool any = std::any_of(arguments.begin(), arguments.end(),
                               [](uint64_t each) { return each >= kLowestAddress && each < kHighestAddress; });
  if (any) *unseen_ = frames_->size();
}

std::optional<StackBytes> StackVariables::find(uint64_t address, uint64_t bytes) const {
  // Stacks grow downwards, so the outermost frame that begins before an address is the one that it can be in.
  if (frames_->empty() || address + bytes <= frames_->back().base) return std::nullopt;
  const auto owner = std::partition_point(frames_->begin(), frames_->end(),
                                          [address](const Frame& each) { return each.base > address; });
  if (owner == frames_->end() || owner - frames_->begin() < static_cast<long>(*unseen_)) return std::nullopt;
  for (const Variable& each : functions_[owner->function].variables) {
    const uint64_t first = owner->base + each.offset;
    if (first >= address + bytes || address >= first + each.bytes) continue;
    return StackBytes{std::max(first, address), std::min(first + each.bytes, address + bytes), owner->since,
                      definition::unwritten(each.variable, owner->frame)};
  }
  return std::nullopt;
}

std::optional<VariableExtent> StackVariables::whole(uint64_t address) const {
  std::optional<VariableExtent> found;
  if (frames_->empty() || address < frames_->back().base) return found;
  const auto owner = std::partition_point(frames_->begin(), frames_->end(),
                                          [address](const Frame& each) { return each.base > address; });
  if (owner == frames_->end()) return found;
  for (const Variable& each : functions_[owner->function].variables) {
    const uint64_t first = owner->base + each.offset;
    if (address < first || address >= first + each.bytes) continue;
    if (!found || first + each.bytes > found->end) found = {first, first + each.bytes, each.variable, owner->frame};
  }
  return found;
}

}  // namespace culprit::depend
