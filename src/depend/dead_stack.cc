#include "depend/dead_stack.h"

#include <algorithm>

#include "depend/variable_bounds.h"

namespace culprit::depend {

using namespace format;

namespace {

/// A thread's user stack is shorter (runtime/stacks.cc).
constexpr uint64_t kMostStack = uint64_t{1} << 30;

}  // namespace

uint32_t user_base_of(const program::ProgramModel& model, uint32_t function) {
  const auto bases = model.bases_of(function);
  for (uint32_t each = 0; each < bases.size(); ++each) {
    if (bases[each].private_offset == kNone) return each;
  }
  return kNone;
}

DeadStack::DeadStack(const program::ProgramModel& model) : model_(model) {
  for (uint32_t function = 0; function < model.functions().size(); ++function) {
    base_.push_back(user_base_of(model, function));
    uint64_t extent = 0;
    for (const uint32_t each : model.variables_of(function)) {
      const VariableRecord& variable = model.variable(each);
      if (variable.home != HomeKind::kUserStack || variable.offset < 0) continue;
      extent = std::max(extent, static_cast<uint64_t>(variable.offset) + bytes_of_type(model, variable.type));
    }
    extent_.push_back(extent);
  }
  set_thread(0);
}

void DeadStack::set_thread(uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  thread_ = &threads_[thread];
  look();
}

void DeadStack::enter(const Activation& activation) {
  Thread& thread = *thread_;
  const bool is_first = thread.activations++ == 0;
  const uint32_t number = base_[activation.function];
  if (number == kNone) {
    // Functions in between may have frames that the trace does not tell of.
    if (!activation.by_native || is_first) return;
    thread.frames.push_back({activation.frame, 0});
    return look();
  }
  const uint64_t base = activation.bases[number];
  if (thread.first_base == 0) thread.first_base = thread.lowest = base;  // 0: none has been seen
  const uint64_t distance = base > thread.first_base ? base - thread.first_base : thread.first_base - base;
  const bool is_elsewhere = base == 0 || distance > kMostStack;
  const bool grows = (model_.function(activation.function).flags & kFunctionGrowsFrame) != 0;
  if (!is_elsewhere) thread.lowest = std::min(thread.lowest, base);
  if (!is_elsewhere && thread.frames.empty()) thread.top = std::max(thread.top, base + extent_[activation.function]);
  thread.frames.push_back({activation.frame, is_elsewhere || grows ? 0 : base});
  look();
}

void DeadStack::leave(uint32_t frame) {
  --thread_->activations;
  if (thread_->frames.empty() || thread_->frames.back().frame != frame) return;
  thread_->frames.pop_back();
  look();
}

void DeadStack::look() {
  const Thread& thread = *thread_;
  const uint64_t end = thread.frames.empty() ? thread.top : thread.frames.back().end;
  first_ = thread.lowest;
  bytes_ = end > thread.lowest ? end - thread.lowest : 0;
}

}  // namespace culprit::depend
