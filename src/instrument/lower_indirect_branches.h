// Computed goto without code addresses, so that a label means the same in every body of its function.
#pragma once

#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace culprit {

/// Replaces each label address by a small integer (1, 2, ... per function, so that tables of label differences still
/// work) and each `indirectbr` by a `switch`. A label address stored in memory by one body is then valid in the other.
///
/// Returns the functions that could not be lowered because inline assembly uses a label's address; such a function
/// must keep a single body.
std::vector<llvm::Function*> lower_indirect_branches(llvm::Module& module);

/// Makes each such switch that is left an `indirectbr` again, by a table of the function's own from numbers to labels:
/// one jump without the arithmetic of a switch, and the optimiser treats it as the user's compiler did. For bodies that
/// are complete, just before they are optimised.
void jump_by_label_tables(llvm::Module& module);

}  // namespace culprit
