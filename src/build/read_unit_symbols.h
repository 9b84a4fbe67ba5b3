// Reads a unit's symbols for the link rules.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include "build/job.h"
#include "build/unit_symbols.h"

namespace culprit {

/// Materialises the functions that the merge will take over (`inline_seen` holds the inline functions of earlier units,
/// which win) because their inline assembly may name symbols. Throws UserError when the bitcode is damaged.
UnitSymbols read_unit_symbols(const CompileUnit& unit, const Component& component, llvm::Module& module,
                              llvm::StringSet<>& inline_seen);

}  // namespace culprit
