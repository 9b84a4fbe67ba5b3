// Loop order variables (STAT: Ahn et al., SC 2009; EPID §II-D): variables from whose value one can tell which iteration
// of a loop is executed, in a core file of the uninstrumented program.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace culprit {

/// A natural loop of the program as compiled.
struct LoopOrder {
  std::string function;  ///< its symbol
  std::string variable;  ///< that tells its iterations apart; empty when there is none
  std::string file;      ///< with the lines, empty and 0 without line information
  uint32_t first_line = 0;
  uint32_t last_line = 0;
};

/// Every loop, those around others first. A variable counts when, in each iteration, it is changed exactly once, by the
/// same constant, and what it holds where the loop is entered is always the same constant; global variables, too, if no
/// other function changes them. Expects variables in memory, as captured.
std::vector<LoopOrder> find_loop_order_variables(llvm::Module& module);

}  // namespace culprit
