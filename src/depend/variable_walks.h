// Writes that go over a variable in even steps and out of it, be it in a function that knows the variable by a pointer
// only. Where a single write belongs no address says; a walk belongs to the variable in which it began.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/node.h"
#include "depend/variable_bounds.h"

namespace culprit::depend {

class VariableWalks {
 public:
  explicit VariableWalks(const VariableBounds& variables) : variables_(variables) {}

  /// The variable that was left.
  struct Left {
    VariableExtent variable;
    NodeNumber before;  ///< the write by which it had not been left
  };
  /// `node`: an operation of an activation writes an address that is of no block of the heap.
  std::optional<Left> wrote(uint32_t activation, uint32_t operation, uint64_t address, NodeNumber node);

 private:
  /// Of one operation.
  struct Walk {
    uint32_t activation = format::kNone;
    uint64_t last = 0;      ///< address
    uint64_t step = 0;      ///< to there, modulo 2^64; 0: there was none yet
    bool has_left = false;  ///< a variable, and has not ended
    VariableExtent in;      ///< no bytes: of no variable, or it has been left
    bool went_on = false;   ///< there from one write to another
    NodeNumber node = kNoNumber;
  };

  const VariableBounds& variables_;
  std::vector<uint32_t> walk_of_;  ///< per operation: index of `walks_`, counted from 1; 0: none
  std::vector<Walk> walks_;
};

}  // namespace culprit::depend
