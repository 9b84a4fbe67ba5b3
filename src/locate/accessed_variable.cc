#include "locate/accessed_variable.h"

#include <algorithm>

#include "depend/variable_bounds.h"

namespace culprit {

using namespace format;

bool holds(const program::ProgramModel& model, const VariableRecord& variable, HomeKind home, uint64_t offset) {
  if (variable.home != home || variable.line == 0 || (variable.flags & kVariableArtificial) != 0) return false;
  const auto first = static_cast<uint64_t>(variable.offset);
  return first <= offset && offset < first + std::max<uint64_t>(depend::bytes_of_type(model, variable.type), 1);
}

std::optional<uint32_t> local_at(const program::ProgramModel& model, uint32_t function, HomeKind home,
                                 uint64_t offset) {
  for (const uint32_t each : model.variables_of(function)) {
    if (holds(model, model.variable(each), home, offset)) return each;
  }
  return std::nullopt;
}

std::optional<uint32_t> accessed_variable(const program::ProgramModel& model, uint32_t operation) {
  if (model.accesses_of(operation).empty()) return std::nullopt;
  const AccessRecord& access = model.accesses_of(operation).front();
  const uint32_t function = model.function_of_block(model.block_of_operation(operation));
  switch (access.place) {
    case PlaceKind::kCells:
      return local_at(model, function, HomeKind::kPrivateSlot, model.sections().cells[access.value].offset);
    case PlaceKind::kFrame: {
      const uint32_t private_offset = model.sections().bases[access.value].private_offset;
      return private_offset == kNone
                 ? local_at(model, function, HomeKind::kUserStack, static_cast<uint64_t>(access.offset))
                 : local_at(model, function, HomeKind::kPrivateSlot, private_offset);
    }
    case PlaceKind::kGlobal: {
      const std::string_view symbol = model.text(model.sections().anchors[access.value].symbol);
      for (const uint32_t each : model.globals()) {
        const VariableRecord& variable = model.variable(each);
        if (model.text(variable.symbol) != symbol) continue;
        // Several may have been merged into one symbol.
        if (holds(model, variable, HomeKind::kGlobal, static_cast<uint64_t>(access.offset))) return each;
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace culprit
