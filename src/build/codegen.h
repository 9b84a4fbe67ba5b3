// A module becomes a native object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace culprit {

/// The machine that the module was compiled for. Throws UserError when this LLVM cannot generate code for it.
std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module& module, bool position_independent);

/// The optimisation pipeline of -O2 on a whole module.
void optimise_natively(llvm::Module& module, llvm::TargetMachine& machine);

/// Writes the module's object. Throws UserError when the file cannot be written.
void emit_object(llvm::Module& module, llvm::TargetMachine& machine, const std::string& path);

}  // namespace culprit
