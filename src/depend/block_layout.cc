#include "depend/block_layout.h"

namespace culprit::depend {

using namespace format;

BlockLayout::BlockLayout(const program::ProgramModel& model) {
  const auto& sections = model.sections();
  slots.assign(model.blocks().size(), 0);
  operand_slot.assign(sections.operands.size(), kNoSlot);
  memory_slot.assign(sections.operations.size(), kNoSlot);
  block_of.assign(sections.operations.size(), kNone);
  export_number.assign(model.blocks().size(), kNoSlot);
  exports.assign(model.functions().size(), 0);
  for (const uint32_t block : model.blocks()) {
    for (const uint32_t operation : model.operations_of(block)) block_of[operation] = block;
  }
  for (const uint32_t function : model.functions()) {
    for (const uint32_t block : model.blocks_of(function)) {
      uint32_t next = kControlSlot + 1;
      for (const uint32_t operation : model.operations_of(block)) {
        const OperationRecord& record = sections.operations[operation];
        const bool phi = record.kind == OperationKind::kPhi;
        const uint32_t end = sections.operations[operation + 1].first_operand;
        const uint32_t phi_slot = next;
        for (uint32_t each = record.first_operand; each < end; ++each) {
          const OperandRecord& operand = sections.operands[each];
          const bool other = operand.kind == OperandKind::kOperation;
          const bool before = other && operand.value < operation && block_of[operand.value] == block;
          if (other && (phi || !before)) {
            uint32_t& number = export_number[block_of[operand.value]];
            if (number == kNoSlot) number = exports[function]++;
          }
          if (phi) {
            operand_slot[each] = phi_slot;
          } else if (operand.kind == OperandKind::kArgument || (other && !before)) {
            operand_slot[each] = next++;
          }
        }
        if (phi) ++next;
        bool reads = record.kind == OperationKind::kCall;
        for (const AccessRecord& access : model.accesses_of(operation)) {
          reads = reads || ((access.flags & kAccessReads) != 0 && access.place != PlaceKind::kConstant);
        }
        // A copy's sources are known by who reads the copy.
        if (record.kind == OperationKind::kCopyMemory) reads = false;
        if (reads) memory_slot[operation] = next++;
      }
      slots[block] = next;
    }
  }
}

}  // namespace culprit::depend
