#include "locate/variable_writes.h"

#include "format/model_format.h"
#include "format/operation_format.h"
#include "locate/accessed_variable.h"

namespace culprit {

using format::AccessRecord;
using format::HomeKind;
using format::OperationKind;
using format::PlaceKind;
using program::ProgramModel;

namespace {

/// Whether an access of the variable's own function, of any for a global one, is to the variable, or to a part of it.
bool is_access_to(const ProgramModel& model, uint32_t function, uint32_t variable, const AccessRecord& access) {
  const auto& record = model.variable(variable);
  if (function == program::kNone) {
    // Several may have been merged into one symbol.
    return access.place == PlaceKind::kGlobal &&
           model.text(model.sections().anchors[access.value].symbol) == model.text(record.symbol) &&
           holds(model, record, HomeKind::kGlobal, static_cast<uint64_t>(access.offset));
  }
  if (access.place == PlaceKind::kCells) {
    return record.home == HomeKind::kPrivateSlot && model.sections().cells[access.value].offset == record.offset;
  }
  if (access.place != PlaceKind::kFrame && access.place != PlaceKind::kIndexed) return false;
  const uint32_t base = access.place == PlaceKind::kFrame ? access.value : model.sections().indexed[access.value].value;
  const bool global =
      access.place == PlaceKind::kIndexed && model.sections().indexed[access.value].place != PlaceKind::kFrame;
  if (global || base < model.function(function).first_base || base >= model.function(function + 1).first_base) {
    return false;
  }
  const uint32_t slot = model.sections().bases[base].private_offset;
  if (record.home == HomeKind::kPrivateSlot) return slot == record.offset;
  return record.home == HomeKind::kUserStack && slot == format::kNone && access.offset == record.offset;
}

}  // namespace

std::map<uint32_t, uint32_t> writes_of(const ProgramModel& model, uint32_t function, uint32_t variable) {
  std::map<uint32_t, uint32_t> writes;
  for (const uint32_t block : function == program::kNone ? model.blocks() : model.blocks_of(function)) {
    for (const uint32_t operation : model.operations_of(block)) {
      const auto& record = model.operation(operation);
      if (record.kind == OperationKind::kSetMemory && (record.flags & format::kOperationBeginsVariable) != 0) continue;
      for (const AccessRecord& access : model.accesses_of(operation)) {
        if ((access.flags & format::kAccessWrites) == 0 || !is_access_to(model, function, variable, access)) continue;
        writes.emplace(block, record.statement);
      }
    }
  }
  return writes;
}

}  // namespace culprit
