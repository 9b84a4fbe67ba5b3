#include "depend/active_operations.h"

namespace culprit::depend {

using namespace format;

ActiveOperations::ActiveOperations(const program::ProgramModel& model, const BlockLayout& layout) {
  for (const uint32_t block : model.blocks()) {
    for (const uint32_t operation : model.operations_of(block)) {
      while (before_.size() <= operation) before_.push_back(static_cast<uint32_t>(all_.size()));
      add(model, layout, operation);
    }
  }
  while (before_.size() <= model.sections().operations.size()) before_.push_back(static_cast<uint32_t>(all_.size()));
}

void ActiveOperations::add(const program::ProgramModel& model, const BlockLayout& layout, uint32_t index) {
  const OperationRecord& record = model.operation(index);
  const uint32_t end = model.sections().operations[index + 1].first_operand;
  ActiveOperation active{index,
                         record.kind,
                         layout.place[index],
                         static_cast<uint32_t>(operands_.size()),
                         0,
                         layout.memory_slot[index],
                         model.accesses_of(index)};
  for (uint32_t each = record.first_operand; each < end; ++each) {
    const uint32_t slot = layout.operand_slot[each];
    if (slot == kNoSlot) continue;
    const OperandRecord& operand = model.sections().operands[each];
    OutsideOperand outside{slot, operand.value, kNone, record.kind == OperationKind::kPhi ? operand.from : kNone};
    if (operand.kind == OperandKind::kOperation) {
      outside.value = layout.place[operand.value];
      outside.exports = layout.export_number[layout.block_of[operand.value]];
    } else if (operand.kind != OperandKind::kArgument) {
      outside.value = kNone;  // of a phi: a constant
    }
    operands_.push_back(outside);
  }
  active.end_operand = static_cast<uint32_t>(operands_.size());
  const bool acts = record.kind == OperationKind::kPhi || record.kind == OperationKind::kCall ||
                    record.kind == OperationKind::kBranch || !active.accesses.empty();
  if (acts || active.first_operand != active.end_operand) all_.push_back(active);
}

}  // namespace culprit::depend
