// Accesses by an index that the type of the indexed array does not have, in session bodies.
#pragma once

namespace llvm {
class Module;
}

namespace culprit {

/// Before each access through `array[index]`, where the array's type tells its number of elements, the agent is asked
/// when the index is not below it: `index = culprit_out_of_bounds(statement, index, elements)`. Arrays of fewer than
/// two elements, and those at the end of a structure that is reached through a pointer, are left out: programs use them
/// for memory that is longer than the type says. Needs the statements' metadata.
void insert_bounds_hooks(llvm::Module& observed_half);

}  // namespace culprit
