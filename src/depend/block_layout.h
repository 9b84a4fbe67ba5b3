// What is the same in every execution of a block: which of its operations' sources are outside of it, and where an
// execution's record keeps them.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"

namespace culprit::depend {

inline constexpr uint32_t kNoSlot = 0xffffffff;
/// Slot of every execution: what decided that it runs.
inline constexpr uint32_t kControlSlot = 0;

struct BlockLayout {
  explicit BlockLayout(const program::ProgramModel& model);

  std::vector<uint32_t> slots;         ///< per block: how many
  std::vector<uint32_t> operand_slot;  ///< per operand; kNoSlot: constant, or an earlier operation of the same block
  std::vector<uint32_t> memory_slot;   ///< per operation: where the memory it reads, or a call's result, comes from
  std::vector<uint32_t> block_of;      ///< per operation
  /// Per block whose values other blocks use: its number among those of its function; else kNoSlot.
  std::vector<uint32_t> export_number;
  std::vector<uint32_t> exports;  ///< per function: how many
};

}  // namespace culprit::depend
