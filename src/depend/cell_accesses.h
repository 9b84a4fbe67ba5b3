// Loads and stores of variables that lie in registers, as far as the program's text alone tells what they read: of one
// whole cell, that no access shares with another one. Nobody but the activation writes to them; a function that returns
// to the same place twice has no such variables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program_model.h"

namespace culprit::depend {

class CellAccesses {
 public:
  /// The model must stay.
  explicit CellAccesses(const program::ProgramModel& model);

  /// The cell, if the operation is such a load or store.
  std::optional<uint32_t> cell_of(uint32_t operation) const;
  /// Per operation: the access of the same cell before it in its block, when nothing else there may have written to it
  /// since: a store, whose value a load gets; or a load, which got the same. kNone: there is none.
  std::vector<uint32_t> accesses_before() const;

 private:
  void find_before(uint32_t block, std::vector<uint32_t>& latest, std::vector<uint32_t>& before) const;

  const program::ProgramModel& model_;
  std::vector<bool> is_shared_;  ///< per cell: an access has it and others
};

}  // namespace culprit::depend
