#include "locate/statement_values_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <span>
#include <vector>

#include "format/undefined_values.h"
#include "program/print_value.h"

namespace culprit {
namespace {

using format::OperationKind;

/// What the wanted operations of a block's execution made.
struct Made {
  std::vector<std::string> by_program;  // stored or returned
  std::vector<std::string> by_library;
};

template <typename Wanted>
Made made_in(const depend::DependenceGraph& graph, depend::Execution execution, const RunValues& values,
             const Wanted& wanted) {
  const program::ProgramModel& model = graph.model();
  Made made;
  for (const uint32_t operation : model.operations_of(graph.block_of(execution))) {
    const format::OperationRecord& record = model.operation(operation);
    if (record.statement >= model.statements().size() || !wanted(record.statement)) continue;
    const auto value = values.of(depend::Node::of(execution, operation));
    if (!value) continue;
    const std::string text = value_text(model, operation, *value);
    if (record.kind == OperationKind::kStore) {
      const uint32_t variable = stored_variable(model, operation);
      const bool named = variable != format::kNone;
      made.by_program.push_back(named ? fmt::format("{} = {}", model.text(model.variable(variable).name), text) : text);
    } else if (record.kind == OperationKind::kReturn) {
      made.by_program.push_back(fmt::format("returned {}", text));
    } else if (record.kind == OperationKind::kCall) {
      made.by_library.push_back(fmt::format("returned {}", text));
    }
  }
  return made;
}

/// A pointer or a number of 32 or 64 bits.
bool is_unwritten(uint64_t value) {
  constexpr uint64_t kAll = format::kUnwrittenByte * 0x0101010101010101ULL;
  return value == kAll ||
         (static_cast<uint32_t>(value) == static_cast<uint32_t>(kAll) && (value >> 32 == 0 || ~value >> 32 == 0));
}

}  // namespace

uint32_t stored_variable(const program::ProgramModel& model, uint32_t operation) {
  const format::OperationRecord& record = model.operation(operation);
  if (record.kind != OperationKind::kStore || record.statement >= model.statements().size()) return format::kNone;
  const format::StatementRecord& statement = model.statement(record.statement);
  return statement.kind == format::StatementKind::kAssignment ? statement.detail : format::kNone;
}

std::string value_text(const program::ProgramModel& model, uint32_t operation, uint64_t value) {
  const uint32_t variable = stored_variable(model, operation);
  const uint32_t type = variable == format::kNone ? format::kNone : model.variable(variable).type;
  if (type != format::kNone)
    return program::print_value(model, type, std::as_bytes(std::span(&value, 1)), {}, {.tells_unwritten = true});
  const format::OperationRecord& record = model.operation(operation);
  const bool valued = record.kind == OperationKind::kStore || record.kind == OperationKind::kReturn;
  if (valued && (record.flags & format::kOperationGivesFloating) != 0) {
    return record.bytes == sizeof(float) ? fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(value)))
                                         : fmt::format("{}", std::bit_cast<double>(value));
  }
  if (valued && is_unwritten(value)) return "never written";
  if (valued && (record.flags & format::kOperationGivesAddress) != 0) return fmt::format("{:#x}", value);
  return std::to_string(static_cast<int64_t>(value));
}

std::string statement_values_text(const depend::DependenceGraph& graph, uint32_t statement, depend::Execution execution,
                                  const RunValues& values) {
  Made made = made_in(graph, execution, values, [statement](uint32_t each) { return each == statement; });
  made.by_program.insert(made.by_program.end(), made.by_library.begin(), made.by_library.end());
  return fmt::format("{}", fmt::join(made.by_program, ", "));
}

std::string line_values_text(const depend::DependenceGraph& graph, uint32_t statement, depend::Execution execution,
                             const RunValues& values) {
  const program::ProgramModel& model = graph.model();
  const uint32_t line = model.statement(statement).line;
  const Made made =
      made_in(graph, execution, values, [&model, line](uint32_t each) { return model.statement(each).line == line; });
  return fmt::format("{}", fmt::join(made.by_program.empty() ? made.by_library : made.by_program, ", "));
}

}  // namespace culprit
