#include "depend/active_operations.h"

namespace culprit::depend {

using namespace format;

ActiveOperations::ActiveOperations(const program::ProgramModel& model, const BlockLayout& layout) {
  const CellAccesses cells(model);
  for (const uint32_t function : model.functions()) {
    for (const uint32_t block : model.blocks_of(function)) {
      for (const uint32_t operation : model.operations_of(block)) {
        while (before_.size() <= operation) before_.push_back(static_cast<uint32_t>(all_.size()));
        add(model, layout, cells, function, operation);
      }
    }
  }
  while (before_.size() <= model.sections().operations.size()) before_.push_back(static_cast<uint32_t>(all_.size()));
}

void ActiveOperations::add(const program::ProgramModel& model, const BlockLayout& layout, const CellAccesses& cells,
                           uint32_t function, uint32_t index) {
  const OperationRecord& record = model.operation(index);
  const uint32_t end = model.sections().operations[index + 1].first_operand;
  ActiveOperation active{.operation = index,
                         .kind = record.kind,
                         .place = layout.place[index],
                         .first_operand = static_cast<uint32_t>(operands_.size()),
                         .memory_slot = layout.memory_slot[index],
                         .accesses = model.accesses_of(index)};
  if (const std::optional<uint32_t> cell = cells.cell_of(index)) {
    active.simple = layout.access_before[index] == kNone ? SimpleAccess::kCell : SimpleAccess::kKnownCell;
    active.cell = *cell - model.function(function).first_cell;
  }
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
