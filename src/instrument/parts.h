// A half of an instrumented program in parts that are optimised and compiled side by side.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

namespace culprit {

/// Which part of a module each defined function belongs to. Part 0 also holds all variables, aliases and assembly.
struct Division {
  unsigned parts = 1;
  llvm::DenseMap<const llvm::Function*, unsigned> part_of;
};

/// Divides by the user's translation units, so that what a compiler would have seen together stays together; a unit
/// that is larger than its share is cut between functions. Depends on the module only, not on the machine. Symbols that
/// parts share become hidden ones.
Division divide(llvm::Module& module, const llvm::StringSet<>& named_in_assembly);

/// Leaves of the module what belongs to `part`; small functions of other parts stay visible to the inliner.
void keep_part(llvm::Module& module, const Division& division, unsigned part);

}  // namespace culprit
