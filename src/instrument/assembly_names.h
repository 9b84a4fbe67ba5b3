// Symbols that assembly in the program speaks of by name, which a compiler would not know about.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

namespace culprit {

/// Every identifier in the module's assembly and in inline assembly of its functions.
llvm::StringSet<> names_in_assembly(const llvm::Module& module);

/// Every label that the module's assembly and the inline assembly of its functions define, except numbered ones and
/// those that are made unique (`%=`).
llvm::StringSet<> labels_in_assembly(const llvm::Module& module);

/// Marks functions that can be in one object only (kSingleBodyAttribute): their inline assembly makes a symbol, or
/// names one that only the object with the program's variables has.
void mark_single_bodies(llvm::Module& module);

}  // namespace culprit
