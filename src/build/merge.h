// Units of bitcode become one module, as the linker would have joined their objects.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "build/job.h"

namespace culprit {

/// A unit that is left as its own module, with the reason.
struct UnmergedUnit {
  size_t unit;  ///< index into CompileJob::units
  std::string reason;
  std::unique_ptr<llvm::Module> module;
};

struct MergedProgram {
  std::unique_ptr<llvm::Module> module;
  std::vector<UnmergedUnit> unmerged;
};

/// Merges the job's units in their order; equal jobs give equal modules. `progress` is told each unit's name.
/// The bitcode must stay mapped as long as `context` lives. Throws UserError when a unit cannot be read.
MergedProgram merge_units(const CompileJob& job, llvm::LLVMContext& context,
                          const std::function<llvm::StringRef(const CompileUnit&)>& bitcode,
                          const std::function<void(const std::string&)>& progress);

}  // namespace culprit
