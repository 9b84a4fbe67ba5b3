// A module becomes a native object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <string>

namespace culprit {

/// How code is generated: as by -O2, or as by -O0, by which what lives in no register costs a large function a frame of
/// hundreds of kilobytes.
enum class Generation : uint8_t { kOptimising, kQuick };

/// The machine that the module was compiled for. Throws UserError when this LLVM cannot generate code for it.
std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module& module, bool position_independent,
                                                    Generation generation);

/// The optimisation pipeline of -O2 on a whole module.
void optimise_natively(llvm::Module& module, llvm::TargetMachine& machine);

/// Writes the module's object. Throws UserError when the file cannot be written.
void emit_object(llvm::Module& module, llvm::TargetMachine& machine, const std::string& path);

}  // namespace culprit
