// The observed half: second bodies, in a module of their own, so that both can be optimised and compiled side by side.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "instrument/bodies.h"

namespace culprit {

/// Copies every body `f.fast` to `f.observed` in a new module, whose direct calls stay among observed bodies, and tells
/// the thunks. Variables, thunks and functions with one body stay in `program`, visible to the new module by hidden
/// symbols. Debug information is copied too, so that a debugger sees each body as a place of the same function.
/// `single_bodies` gets the functions that cannot be copied.
std::unique_ptr<llvm::Module> split_observed_half(llvm::Module& program, FastBodies& bodies,
                                                  const llvm::StringSet<>& named_in_assembly,
                                                  std::vector<FunctionReason>& single_bodies);

/// For plans without fast bodies: what can be observed has observed bodies only, and thunks lead there.
void drop_fast_bodies(llvm::Module& program, llvm::Module& observed_half, FastBodies& bodies);

}  // namespace culprit
