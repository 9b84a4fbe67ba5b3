// place_variables.cc fills variables with a byte at the entry of their function, without a line of its own. So what a
// value chain ends at is told from a memset that the program itself makes.
#include "locate/never_written.h"

#include "format/undefined_values.h"
#include "locate/accessed_variable.h"
#include "program/type_name.h"

namespace culprit {

using namespace format;

namespace {

bool fills_at_entry(const program::ProgramModel& model, uint32_t operation) {
  const OperationRecord& record = model.operation(operation);
  if (record.kind != OperationKind::kSetMemory || record.statement >= model.statements().size()) return false;
  const auto operands = model.operands_of(operation);
  if (operands.empty() || operands.front().kind != OperandKind::kConstant ||
      (operands.front().flags & kOperandIsNumber) == 0 ||
      static_cast<uint8_t>(operands.front().value) != kUnwrittenByte) {
    return false;
  }
  const uint32_t block = model.block_of_statement(record.statement);
  const uint32_t entry = model.blocks_of(model.function_of_block(block)).front();
  return block == entry && record.statement == model.statements_of(entry).front();
}

}  // namespace

std::optional<uint32_t> unwritten_variable(const program::ProgramModel& model, uint32_t operation) {
  return fills_at_entry(model, operation) ? accessed_variable(model, operation) : std::nullopt;
}

bool is_scalar(const program::ProgramModel& model, uint32_t variable) {
  const uint32_t type = program::stripped_type(model, model.variable(variable).type);
  if (type == program::kNone) return false;
  const TypeKind kind = model.type(type).kind;
  return kind == TypeKind::kBase || kind == TypeKind::kPointer || kind == TypeKind::kEnumeration;
}

}  // namespace culprit
