// Makes every body of a function mean the same even where C and C++ leave the meaning open.
#pragma once

namespace llvm {
class Module;
class TargetLibraryInfoImpl;
}  // namespace llvm

namespace culprit {

/// Removes what lets an optimiser conclude from undefined behaviour (flags, metadata, attributes, assumptions,
/// lifetimes), fixes values that are open (undefined operands, over-wide shifts, questions about constants and object
/// sizes), and makes `available_externally` functions internal. Runs on the merged, unoptimised module before any other
/// pass.
void normalise(llvm::Module& module);

/// The part of `normalise` that concerns attributes of functions, parameters, returns and calls.
void normalise_attributes(llvm::Module& module);

/// Hides from the optimiser and from code generation the malloc family – what it knows of fresh memory (no alias,
/// undefined contents, gone after free) makes overflows and reads after free differ between bodies – and output by stdio,
/// whose calls it exchanges where nobody uses their results: the system calls would differ between bodies. Every pipeline
/// that runs on an instrumented module registers its TargetLibraryAnalysis and TargetLibraryInfoWrapperPass with such a
/// `library`.
void disable_visible_builtins(llvm::TargetLibraryInfoImpl& library);

}  // namespace culprit
