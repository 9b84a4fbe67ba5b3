#include "depend/unwritten_values.h"

#include <algorithm>

#include "depend/definition.h"

namespace culprit::depend {

using namespace format;

namespace {

constexpr size_t kMostReads = size_t{1} << 20;
constexpr int kMostCopies = 16;  // within a block, on the way of one value

}  // namespace

UnwrittenValues::UnwrittenValues(const program::ProgramModel& model)
    : model_(model), is_used_(model.sections().operations.size()), block_of_(model.sections().operations.size()),
      begun_by_(model.sections().operations.size()) {
  for (const uint32_t block : model.blocks()) {
    for (const uint32_t operation : model.operations_of(block)) block_of_[operation] = block;
  }
  // Most uses come behind what they use, so that one walk from the end knows what is made of copies.
  for (auto consumer = static_cast<uint32_t>(is_used_.size()) - 1; consumer-- > 0;) {
    const auto operands = model.operands_of(consumer);
    for (uint32_t each = 0; each < operands.size(); ++each) {
      if (operands[each].kind == OperandKind::kOperation && makes_something_of(consumer, each)) {
        is_used_[operands[each].value] = true;
      }
    }
  }
  for (uint32_t operation = 0; operation < is_used_.size(); ++operation) {
    const OperationRecord& record = model.operation(operation);
    if (record.kind == OperationKind::kLoad && (record.flags & kOperationKeepsBits) != 0) is_used_[operation] = false;
  }
}

bool UnwrittenValues::makes_something_of(uint32_t consumer, uint32_t operand) const {
  const OperationRecord& record = model_.operation(consumer);
  const OperandRole role = model_.operands_of(consumer)[operand].role;
  switch (record.kind) {
    case OperationKind::kCopy:
    case OperationKind::kPhi:
      return is_used_[consumer];
    case OperationKind::kChoice:
      return role != OperandRole::kData || is_used_[consumer];
    case OperationKind::kStore:
      return role != OperandRole::kData;
    case OperationKind::kReturn:
      return false;
    case OperationKind::kCall: {
      if (role == OperandRole::kCallee) return true;
      const uint32_t callee = model_.call(record.detail).callee;
      return callee != kNone && (model_.function(callee).flags & kFunctionNative) != 0;
    }
    default:
      return true;
  }
}

uint32_t UnwrittenValues::variable_begun_by(uint32_t operation, uint32_t function) {
  std::optional<uint32_t>& known = begun_by_[operation];
  if (known) return *known;
  known = kNone;
  const auto accesses = model_.accesses_of(operation);
  if (accesses.empty()) return kNone;
  uint32_t slot = kNone;
  if (accesses[0].place == PlaceKind::kCells) slot = model_.sections().cells[accesses[0].value].offset;
  if (accesses[0].place == PlaceKind::kFrame) slot = model_.sections().bases[accesses[0].value].private_offset;
  for (const uint32_t each : model_.variables_of(function)) {
    const VariableRecord& variable = model_.variable(each);
    if (variable.home == HomeKind::kPrivateSlot && variable.offset == int64_t{slot}) known = each;
  }
  return *known;
}

void UnwrittenValues::yield(Activation& activation, uint32_t operation, NodeNumber node, uint64_t variable) {
  activation.unwritten.push_back({operation, variable});
  if (!is_used_[operation] || reads_.size() >= kMostReads) return;
  reads_.push_back({node.bits, definition::frame_of_unwritten(variable), definition::variable_of_unwritten(variable)});
}

std::span<const GraphUnwritten> UnwrittenValues::reads() {
  // A call that gives such a value back came before what its callee did.
  std::stable_sort(reads_.begin(), reads_.end(),
                   [](const GraphUnwritten& one, const GraphUnwritten& other) { return one.read < other.read; });
  return reads_;
}

std::optional<uint64_t> UnwrittenValues::value_of(const Activation& activation, uint32_t operand) const {
  const auto find = [](const std::vector<UnwrittenValue>& values, uint32_t of) -> std::optional<uint64_t> {
    for (const UnwrittenValue& each : values) {
      if (each.of == of) return each.variable;
    }
    return std::nullopt;
  };
  for (int copies = 0; copies < kMostCopies; ++copies) {
    const OperandRecord& record = model_.sections().operands[operand];
    if (record.kind == OperandKind::kArgument) return find(activation.unwritten_arguments, record.value);
    if (record.kind != OperandKind::kOperation || block_of_[record.value] != activation.current.block) return {};
    if (const auto found = find(activation.unwritten, record.value)) return found;
    const OperationRecord& source = model_.operation(record.value);
    if (source.kind != OperationKind::kCopy) return std::nullopt;
    operand = source.first_operand;
  }
  return std::nullopt;
}

void UnwrittenValues::pass(const Activation& caller, Activation& callee) const {
  if (caller.unwritten.empty() && caller.unwritten_arguments.empty()) return;
  const uint32_t first = model_.operation(caller.call).first_operand;
  const auto count = static_cast<uint32_t>(model_.operands_of(caller.call).size());
  for (uint32_t each = 0; each < count; ++each) {
    if (const auto variable = value_of(caller, first + each)) callee.unwritten_arguments.push_back({each, *variable});
  }
}

}  // namespace culprit::depend
