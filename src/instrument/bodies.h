// Each function `f` becomes a body `f.fast`; the symbol `f` becomes a thunk.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "instrument/native_functions.h"
#include "instrument/thunks.h"

namespace culprit {

struct FastBodies {
  size_t functions = 0;
  std::vector<Thunk> thunks;
  std::vector<ThunkAlias> aliases;
};

/// Direct calls go to bodies. Every other use of a function (tables, arguments, constructors, exports) goes to the
/// thunk, which keeps the function's linkage, visibility and section; so does a call to a weak function, in whose place
/// the linker may put another. A function that only direct calls use needs no thunk. `named_in_assembly` are names that
/// must stay known to assembly.
FastBodies make_fast_bodies(llvm::Module& module, const llvm::StringSet<>& named_in_assembly);

}  // namespace culprit
