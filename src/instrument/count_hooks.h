// Hooks that count: the least that observed bodies can do, to measure and to test them.
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Counts blocks, loads, stores and calls (ThreadState::counts) in every body of the observed half. Accesses of
/// variables that can be registers are not counted, whether they are or not, so that all kinds of body count alike.
void insert_count_hooks(llvm::Module& observed_half);

/// Lets no value of memory stay in a register from one statement to the next, so that at each of them homes are
/// current and a changed home is read.
void insert_statement_barriers(llvm::Module& observed_half);

}  // namespace culprit
