// The observed half: second bodies, in a module of their own, so that both can be optimised and compiled side by side.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "instrument/bodies.h"

namespace culprit {

/// Makes what observed bodies refer to visible by hidden symbols and names the observed bodies in the thunks. Done in
/// every plan, also in one without observed bodies, so that the fast half and with it every address that the program
/// can see is the same in all. Returns the functions that have one body only.
std::vector<FunctionReason> share_with_observed_half(llvm::Module& program, FastBodies& bodies,
                                                     const llvm::StringSet<>& named_in_assembly);

/// For plans with both bodies: copies every body `f.fast` to `f.observed` in a new module, whose direct calls stay among observed bodies.
/// Variables, thunks and functions with one body stay in `program`, visible to the new module by hidden symbols. Debug
/// information is copied too, so that a debugger sees each body as a place of the same function.
std::unique_ptr<llvm::Module> copy_observed_half(llvm::Module& program);

/// For plans without fast bodies: what can be observed has observed bodies only, and thunks lead there. The module
/// itself becomes the observed half, so that no body is copied, and `program` a new one with what is left.
std::unique_ptr<llvm::Module> take_observed_half(std::unique_ptr<llvm::Module>& program, FastBodies& bodies);

}  // namespace culprit
