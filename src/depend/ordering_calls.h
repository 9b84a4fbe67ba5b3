// Which of a program's operations are calls that order its threads, by the table of external functions.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"

namespace culprit::depend {

class OrderingCalls {
 public:
  explicit OrderingCalls(const program::ProgramModel& model);

  bool contains(uint32_t operation) const;
  /// Whether its calls make a thread.
  bool makes_thread(uint32_t operation) const;
  /// Whether its calls may let others go on.
  bool releases(uint32_t operation) const;
  /// Ascending.
  const std::vector<uint32_t>& operations() const { return ordering_; }

 private:
  std::vector<uint32_t> ordering_;   ///< ascending
  std::vector<uint32_t> makers_;     ///< of them
  std::vector<uint32_t> releasing_;  ///< of them
};

}  // namespace culprit::depend
