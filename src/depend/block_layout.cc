#include "depend/block_layout.h"

#include "depend/cell_accesses.h"

namespace culprit::depend {

using namespace format;
using program::ProgramModel;

BlockLayout::BlockLayout(const ProgramModel& model) {
  const auto& sections = model.sections();
  slots.assign(model.blocks().size(), 0);
  operand_slot.assign(sections.operands.size(), kNoSlot);
  memory_slot.assign(sections.operations.size(), kNoSlot);
  block_of.assign(sections.operations.size(), kNone);
  access_before = CellAccesses(model).accesses_before();
  place.assign(sections.operations.size(), 0);
  export_number.assign(model.blocks().size(), kNoSlot);
  exports.assign(model.functions().size(), 0);
  for (const uint32_t block : model.blocks()) {
    for (const uint32_t operation : model.operations_of(block)) block_of[operation] = block;
  }
  for (const uint32_t function : model.functions()) {
    for (const uint32_t block : model.blocks_of(function)) lay_out_slots(model, function, block);
  }
  for (const uint32_t block : model.blocks()) add_nodes(model, block);
  first_node.push_back(static_cast<uint32_t>(nodes.size()));
  const auto end = static_cast<uint32_t>(edges.size());
  nodes.push_back({kNone, end, end, false});
}

void BlockLayout::lay_out_slots(const ProgramModel& model, uint32_t function, uint32_t block) {
  const auto& sections = model.sections();
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
    bool reads = record.kind == OperationKind::kCall || phi;
    for (const AccessRecord& access : model.accesses_of(operation)) {
      reads = reads || ((access.flags & kAccessReads) != 0 && access.place != PlaceKind::kConstant);
    }
    // A copy's sources are known by who reads the copy.
    if (record.kind == OperationKind::kCopyMemory) reads = false;
    if (const uint32_t known = access_before[operation]; known != kNone) {
      memory_slot[operation] = memory_slot[known];
    } else if (reads) {
      memory_slot[operation] = next++;
    }
  }
  slots[block] = next;
}

void BlockLayout::add_nodes(const ProgramModel& model, uint32_t block) {
  const auto first = static_cast<uint32_t>(nodes.size());
  first_node.push_back(first);
  for (const uint32_t operation : model.operations_of(block)) {
    place[operation] = static_cast<uint32_t>(nodes.size()) - first;
    const bool call = model.operation(operation).kind == OperationKind::kCall;
    for (const bool transfer : {false, true}) {
      if (transfer && !call) continue;
      BlockNode node{operation | (transfer ? Node::kTransferBit : 0), static_cast<uint32_t>(edges.size()), 0, call};
      add_edges(model, operation, transfer, false);
      node.first_edge_of_body = static_cast<uint32_t>(edges.size());
      if (call) add_edges(model, operation, transfer, true);
      nodes.push_back(node);
    }
  }
}

void BlockLayout::add_edges(const ProgramModel& model, uint32_t operation, bool transfer, bool entered_body) {
  const auto& sections = model.sections();
  const OperationRecord& record = sections.operations[operation];
  const uint32_t end = sections.operations[operation + 1].first_operand;
  for (uint32_t each = record.first_operand; each < end; ++each) {
    const OperandRecord& operand = sections.operands[each];
    const bool address = operand.role == OperandRole::kAddress || operand.role == OperandRole::kCallee;
    // Arguments go to where the callee uses them.
    if (entered_body ? operand.role != OperandRole::kCallee : transfer && !address) continue;
    const EdgeKind kind = address ? EdgeKind::kAddress : EdgeKind::kData;
    if (operand_slot[each] != kNoSlot) {
      edges.push_back({operand_slot[each], kind, true});
    } else if (operand.kind == OperandKind::kOperation) {
      edges.push_back({place[operand.value], kind, false});
    }
    if (record.kind == OperationKind::kPhi) break;  // all of them share one slot
  }
  if (!transfer && memory_slot[operation] != kNoSlot) {
    const EdgeKind kind = record.kind == OperationKind::kPhi ? EdgeKind::kControl : EdgeKind::kData;
    edges.push_back({memory_slot[operation], kind, true});
  } else if (!transfer && stored_by(operation) != kNone) {
    edges.push_back({place[stored_by(operation)], EdgeKind::kData, false});
  }
}

}  // namespace culprit::depend
