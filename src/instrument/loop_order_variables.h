// Loop order variables (STAT: Ahn et al., SC 2009; EPID §II-D): variables from whose value one can tell which iteration
// of a loop is executed, in a core file of the uninstrumented program.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace culprit {

struct LoopOrderVariable {
  std::string function;  ///< its symbol
  std::string variable;
  std::string file;
  uint32_t first_line;  ///< of the loop
  uint32_t last_line;
};

struct LoopOrder {
  uint64_t loops = 0;                        ///< natural loops of the program
  uint64_t with_order = 0;                   ///< those that have such a variable
  std::vector<LoopOrderVariable> variables;  ///< one a loop
};

/// A variable counts when, in each iteration, it is changed exactly once, by the same constant, and what it holds where
/// the loop is entered is always the same constant. Expects variables in memory, as captured.
LoopOrder find_loop_order_variables(llvm::Module& module);

}  // namespace culprit
