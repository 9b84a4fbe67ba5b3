#include "index/aligned_values.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "format/operation_format.h"

namespace culprit {

using trace::Step;
using trace::StepKind;
using trace::StoredValue;

namespace {

constexpr uint64_t kEverything = std::numeric_limits<uint64_t>::max();

/// A number that a call returned, integers with their sign; nothing of others.
std::optional<uint64_t> returned_number(const program::ProgramModel& model, const format::OperationRecord& call,
                                        uint64_t result) {
  const std::string_view signature = model.text(model.call(call.detail).signature);
  if (signature.starts_with("i64 ") || signature.starts_with("double ") || signature.starts_with("float "))
    return result;
  if (signature.starts_with("i32 ")) return static_cast<uint64_t>(int64_t{static_cast<int32_t>(result)});
  if (signature.starts_with("i16 ")) return static_cast<uint64_t>(int64_t{static_cast<int16_t>(result)});
  if (signature.starts_with("i8 ")) return static_cast<uint64_t>(int64_t{static_cast<int8_t>(result)});
  if (signature.starts_with("i1 ")) return result & 1;
  return std::nullopt;
}

}  // namespace

void AlignedValues::add_pair(uint64_t left, uint64_t right) {
  const uint64_t pair = pairs_++;
  open_.try_emplace(pair, OpenPair{.left_number = left, .waiting = {}});
  walk_through(0, left, pair);
  walk_through(1, right, pair);
}

std::vector<DifferingStatement> AlignedValues::finish() {
  for (const size_t side : {0, 1}) walk_through(side, kEverything, kNoPair);
  std::ranges::stable_sort(differing_, {}, &DifferingStatement::first_point);
  for (DifferingStatement& each : differing_) each.of = compared_.at(each.statement);
  return std::move(differing_);
}

/// Up to the beginning of the block execution `number`, which is one of the pair.
void AlignedValues::walk_through(size_t side, uint64_t number, uint64_t pair) {
  Walk& walk = walks_[side];
  while (!walk.ended && walk.begun <= number) {
    const Step& step = walk.stream.next();
    if (step.kind == StepKind::kEnd) {
      walk.ended = true;
    } else if (step.thread == walk.thread) {
      take(side, step, number, pair);
    }
  }
}

void AlignedValues::take(size_t side, const Step& step, uint64_t number, uint64_t pair) {
  Walk& walk = walks_[side];
  switch (step.kind) {
    case StepKind::kRun:
      if (step.starts) {
        end_execution(side, step.frame);
        if (walk.begun++ == number) walk.pair_of[step.frame] = pair;
      }
      for (const StoredValue& each : walk.stream.values()) {
        // What a return returns, the caller stores, or what it computes from it.
        const format::OperationRecord& operation = walk.model->operation(each.operation);
        const bool compared =
            operation.kind == format::OperationKind::kStore && (operation.flags & format::kOperationGivesAddress) == 0;
        if (compared) arrive(side, step.frame, each);
      }
      break;
    case StepKind::kReturned:
      if (const auto number =
              returned_number(*walk.model, walk.model->operation(step.operation), step.returned->result)) {
        arrive(side, step.frame, {step.operation, *number});
      }
      break;
    case StepKind::kLeave:
    case StepKind::kUnwound:
      end_execution(side, step.frame);
      break;
    case StepKind::kEnter:
    case StepKind::kHeap:
    case StepKind::kEnd:
      break;
  }
}

/// Of the frame's block, which may be one of a pair.
void AlignedValues::end_execution(size_t side, trace::FrameId frame) {
  const auto at = walks_[side].pair_of.find(frame);
  if (at == walks_[side].pair_of.end()) return;
  const auto pair = open_.find(at->second);
  pair->second.ended[side] = true;
  if (pair->second.ended[1 - side]) open_.erase(pair);
  walks_[side].pair_of.erase(at);
}

void AlignedValues::arrive(size_t side, trace::FrameId frame, const StoredValue& value) {
  const auto at = walks_[side].pair_of.find(frame);
  if (at == walks_[side].pair_of.end()) return;
  OpenPair& pair = open_.at(at->second);
  std::vector<StoredValue>& others = pair.waiting[1 - side];
  const uint32_t number = number_of(side, value.operation);
  const auto same = std::ranges::find(others, number, &StoredValue::operation);
  if (same == others.end()) {
    pair.waiting[side].push_back({number, value.value});
    return;
  }
  compare(pair, number, side == 0 ? value.value : same->value, side == 0 ? same->value : value.value);
  others.erase(same);
}

void AlignedValues::compare(const OpenPair& pair, uint32_t number, uint64_t left, uint64_t right) {
  const uint32_t operation = walks_[0].version ? walks_[0].version->own_operation[number] : number;
  const uint32_t statement = walks_[0].model->operation(operation).statement;
  ++compared_[statement];
  if (left == right) return;
  const auto [known, is_new] = place_of_.emplace(statement, differing_.size());
  if (is_new) {
    differing_.push_back({.statement = statement,
                          .instances = 0,
                          .of = 0,
                          .first_point = pair.left_number,
                          .left_value = left,
                          .right_value = right});
  }
  DifferingStatement& one = differing_[known->second];
  ++one.instances;
  if (pair.left_number < one.first_point) {
    one.first_point = pair.left_number;
    one.left_value = left;
    one.right_value = right;
  }
}

}  // namespace culprit
