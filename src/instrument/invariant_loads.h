// Loads that C allows to be made once before a loop, such as its bound.
#pragma once

#include <llvm/IR/Module.h>

#include <cstddef>

namespace culprit {

/// Marks (metadata::kInvariant) loads whose address and, by all that is known of aliasing (types, objects, restrict),
/// whose value stays the same in their innermost loop. Runs before normalise, which drops what is known. Functions
/// captured at -O0 are left alone: there every access happens as it is written.
size_t mark_invariant_loads(llvm::Module& module);

/// Makes marked loads once before their loop, where the first iteration would make them in any case. Runs after the
/// program model is extracted and before ticks: loops whose bound no longer changes need none.
///
/// A body that makes a load once while another repeats it would mean something else when the program breaks the rules
/// for types, so this is done for all bodies, and none of them knows those rules. What is loaded is kept in a variable
/// that the program does not have.
size_t hoist_invariant_loads(llvm::Module& module);

/// For code in which no branch is ever made to go the other way: a loop is entered only when its test says so, so what
/// was loaded under a copy of that test is there. Without this, a loop that is entered against its test reads memory.
void settle_guarded_loads(llvm::Module& module);

}  // namespace culprit
