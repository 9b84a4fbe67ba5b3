// Symbols of one module that another object of the same program must see.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

namespace culprit {

/// Makes a symbol that only this module knows a hidden one with a name that meets no symbol of a native object;
/// assembly that speaks of it (`named_in_assembly`) keeps the old name too. Symbols that are known already, or that are
/// meant for the compiler, stay as they are.
void share_symbol(llvm::GlobalValue& value, const llvm::StringSet<>& named_in_assembly);

/// "llvm.used" and its like.
bool is_for_compiler(const llvm::GlobalValue& value);

/// Declares functions in place of ifuncs, whose resolvers are in another object.
void declare_ifuncs(llvm::Module& module);

/// Variables are described by the object that holds them.
void forget_variables_in_debug_info(llvm::Module& module);

/// Drops lists that belong into one object only, and declarations that nothing uses.
void remove_what_is_unused(llvm::Module& module);

}  // namespace culprit
