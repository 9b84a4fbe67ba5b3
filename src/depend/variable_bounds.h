// Which variable a byte of memory belongs to: a global, or one of an activation that has not ended.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/stack_variables.h"
#include "program/program_model.h"

namespace culprit::depend {

/// 0: not known.
uint64_t bytes_of_type(const program::ProgramModel& model, uint32_t type);

class VariableBounds {
 public:
  /// `anchors`: addresses (trace::TraceFile). `stack` must stay.
  VariableBounds(const program::ProgramModel& model, const std::vector<uint64_t>& anchors, const StackVariables& stack);

  /// Nothing where no variable of known size is known to lie.
  std::optional<VariableExtent> at(uint64_t address) const;

 private:
  std::vector<VariableExtent> globals_;  ///< by address
  const StackVariables& stack_;
};

}  // namespace culprit::depend
