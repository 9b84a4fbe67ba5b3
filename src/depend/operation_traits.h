// What is the same in all executions of an operation, for relevant inputs (relevant_inputs.h).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"

namespace culprit::depend {

struct OperationTrait {
  bool is_copy = false;             ///< its value is that of a variable, a parameter or a constant, perhaps converted
  bool copies_memory = false;       ///< call of native code that copies bytes unchanged
  bool keeps_strength = false;      ///< call of native code like strcmp
  uint32_t branch = format::kNone;  ///< of a comparison: the branch of its block that it decides
  bool is_negated = false;          ///< on the way there
};

class OperationTraits {
 public:
  explicit OperationTraits(const program::ProgramModel& model);
  const OperationTrait& operator[](uint32_t operation) const { return of_[operation]; }

 private:
  void describe(uint32_t operation);
  void describe_call(const format::OperationRecord& record, OperationTrait& trait) const;
  bool is_copied(uint32_t operation) const;
  void find_comparison(uint32_t branch);

  const program::ProgramModel& model_;
  std::vector<OperationTrait> of_;
};

}  // namespace culprit::depend
