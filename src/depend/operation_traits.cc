#include "depend/operation_traits.h"

#include <string_view>

#include "program/external_effects.h"

namespace culprit::depend {

using namespace format;

namespace {

/// Results of these are 0 exactly when two texts are equal.
bool compares_for_equality(std::string_view function) {
  return function == "strcmp" || function == "strncmp" || function == "memcmp" || function == "bcmp";
}

}  // namespace

OperationTraits::OperationTraits(const program::ProgramModel& model)
    : model_(model), of_(model.sections().operations.size()) {
  for (const uint32_t block : model.blocks()) {
    for (const uint32_t operation : model.operations_of(block)) describe(operation);
    const auto operations = model.operations_of(block);
    if (!operations.empty()) find_comparison(operations.back());
  }
}

void OperationTraits::describe(uint32_t operation) {
  const OperationRecord& record = model_.operation(operation);
  OperationTrait& trait = of_[operation];
  switch (record.kind) {
    case OperationKind::kLoad:
    case OperationKind::kPhi:
      trait.is_copy = true;
      break;
    case OperationKind::kCopy:
      trait.is_copy = is_copied(operation);
      break;
    case OperationKind::kCall:
      describe_call(record, trait);
      break;
    default:
      break;
  }
}

void OperationTraits::describe_call(const OperationRecord& record, OperationTrait& trait) const {
  trait.is_copy = true;
  const uint32_t callee = record.detail == kNone ? kNone : model_.call(record.detail).callee;
  if (callee == kNone || (model_.function(callee).flags & kFunctionNative) == 0) return;
  const std::string_view name = model_.text(model_.function(callee).linkage_name);
  trait.copies_memory = program::copies_memory(name);
  trait.keeps_strength = compares_for_equality(name);
}

/// Operands of other operations come before them; one that does not is a phi's.
bool OperationTraits::is_copied(uint32_t operation) const {
  const auto operands = model_.operands_of(operation);
  return !operands.empty() && (operands.front().kind != OperandKind::kOperation || of_[operands.front().value].is_copy);
}

void OperationTraits::find_comparison(uint32_t branch) {
  if (model_.operation(branch).kind != OperationKind::kBranch) return;
  bool negated = false;
  for (uint32_t at = branch;;) {
    const auto operands = model_.operands_of(at);
    if (operands.empty() || operands.front().kind != OperandKind::kOperation) return;
    at = operands.front().value;
    if (model_.block_of_operation(at) != model_.block_of_operation(branch)) return;
    const uint8_t flags = model_.operation(at).flags;
    if (model_.operation(at).kind != OperationKind::kCompute) return;
    if ((flags & kOperationNegates) != 0) {
      negated = !negated;
    } else if ((flags & (kOperationEquals | kOperationDiffers)) != 0) {
      of_[at].branch = branch;
      of_[at].is_negated = negated;
      return;
    } else {
      return;
    }
  }
}

}  // namespace culprit::depend
