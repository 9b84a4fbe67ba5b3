// A whole program's bitcode and a plan become instrumented bitcode (docs/architecture.md).
#pragma once

#include <llvm/IR/Module.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "build/plan.h"
#include "instrument/native_functions.h"
#include "instrument/parts.h"

namespace culprit {

struct PipelineReport {
  std::vector<FunctionReason> native_functions;  ///< compiled as they are
  std::vector<FunctionReason> single_bodies;     ///< have no observed body although the plan asks for them
  size_t functions = 0;                          ///< instrumented functions
  size_t ticks = 0;                              ///< places that tick, thunks not counted
  size_t counted_loops = 0;                      ///< loops that need no tick
  /// Observed bodies, a module of its own that refers to the program's by hidden symbols; null when the plan has none.
  std::unique_ptr<llvm::Module> observed_half;
  Division fast_parts;      ///< of the program itself
  Division observed_parts;  ///< of observed_half
};

/// Instruments `program`; what it holds then is the fast half, with all variables, thunks and fast bodies. The
/// parts of both are then to be optimised (instrument/optimise.h) and compiled, in parallel if wanted, and linked. The program
/// model is written to `model`, if that is not empty; it is the same whatever the plan.
PipelineReport instrument_program(std::unique_ptr<llvm::Module>& program, const Plan& plan, const std::filesystem::path& model = {});

}  // namespace culprit
