#include "depend/active_operations.h"

namespace culprit::depend {

using namespace format;

ActiveOperations::ActiveOperations(const program::ProgramModel& model, const BlockLayout& layout) {
  find_shared_cells(model);
  for (const uint32_t function : model.functions()) {
    for (const uint32_t block : model.blocks_of(function)) {
      for (const uint32_t operation : model.operations_of(block)) {
        while (before_.size() <= operation) before_.push_back(static_cast<uint32_t>(all_.size()));
        add(model, layout, function, operation);
      }
    }
  }
  while (before_.size() <= model.sections().operations.size()) before_.push_back(static_cast<uint32_t>(all_.size()));
}

void ActiveOperations::find_shared_cells(const program::ProgramModel& model) {
  is_shared_.resize(model.sections().cells.size());
  for (const AccessRecord& access : model.sections().accesses) {
    if (access.place != PlaceKind::kCells || access.cells < 2) continue;
    for (uint32_t each = 0; each < access.cells; ++each) is_shared_[access.value + each] = true;
  }
}

bool ActiveOperations::is_of_cell(const program::ProgramModel& model, const ActiveOperation& operation) const {
  if (operation.kind != OperationKind::kLoad && operation.kind != OperationKind::kStore) return false;
  if (operation.accesses.size() != 1) return false;
  const AccessRecord& access = operation.accesses.front();
  return access.place == PlaceKind::kCells && access.cells == 1 && !is_shared_[access.value] &&
         access.bytes == model.sections().cells[access.value].bytes;
}

void ActiveOperations::add(const program::ProgramModel& model, const BlockLayout& layout, uint32_t function,
                           uint32_t index) {
  const OperationRecord& record = model.operation(index);
  const uint32_t end = model.sections().operations[index + 1].first_operand;
  ActiveOperation active{.operation = index,
                         .kind = record.kind,
                         .place = layout.place[index],
                         .first_operand = static_cast<uint32_t>(operands_.size()),
                         .memory_slot = layout.memory_slot[index],
                         .accesses = model.accesses_of(index)};
  if (is_of_cell(model, active)) {
    active.simple = SimpleAccess::kCell;
    active.cell = active.accesses.front().value - model.function(function).first_cell;
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
