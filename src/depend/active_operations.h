// The operations of a program that the pass over its trace has to do something for (build_graph.h). Most only compute
// of what their block has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depend/block_layout.h"
#include "depend/cell_accesses.h"
#include "program/program_model.h"

namespace culprit::depend {

/// An operand whose source lies outside of the block.
struct OutsideOperand {
  uint32_t slot;
  uint32_t value;    ///< argument's number, or place of the operation in its block
  uint32_t exports;  ///< which latest execution it is of; kNone: an argument
  uint32_t from;     ///< of a phi: the block that control comes from; else kNone
};

/// Of loads and stores of cells (cell_accesses.h), which most of the pass's time goes into.
enum class SimpleAccess : uint8_t {
  kNone,
  kCell,       ///< of `cell`
  kKnownCell,  ///< a load; what it reads the block's accesses before it have told
};

struct ActiveOperation {
  uint32_t operation;
  format::OperationKind kind;
  SimpleAccess simple = SimpleAccess::kNone;
  uint32_t cell = 0;   ///< counted from its function's first
  uint32_t place = 0;  ///< in its block
  uint32_t first_operand = 0, end_operand = 0;
  uint32_t memory_slot = kNoSlot;
  std::span<const format::AccessRecord> accesses;
};

/// The active operations of a program, in order.
class ActiveOperations {
 public:
  ActiveOperations(const program::ProgramModel& model, const BlockLayout& layout);

  /// Those among the operations [first, end).
  std::span<const ActiveOperation> among(uint32_t first, uint32_t end) const {
    return std::span(all_).subspan(before_[first], before_[end] - before_[first]);
  }
  std::span<const OutsideOperand> operands_of(const ActiveOperation& operation) const {
    return std::span(operands_).subspan(operation.first_operand, operation.end_operand - operation.first_operand);
  }

 private:
  void add(const program::ProgramModel& model, const BlockLayout& layout, const CellAccesses& cells, uint32_t function,
           uint32_t index);

  std::vector<ActiveOperation> all_;
  std::vector<OutsideOperand> operands_;
  std::vector<uint32_t> before_;  ///< per operation, and more: how many active ones come before it
};

}  // namespace culprit::depend
