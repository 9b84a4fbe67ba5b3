// A half of an instrumented program in parts that are optimised and compiled side by side.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace culprit {

/// Where a function of the divided module belongs.
struct FunctionPlace {
  unsigned part = 0;
  bool small = false;  ///< other parts may see and inline it
};

/// How a module is divided. Part 0 also holds all variables, aliases and assembly.
struct Division {
  unsigned parts = 1;
  unsigned large_parts = 0;              ///< the last ones, which hold large functions only
  std::vector<FunctionPlace> functions;  ///< in the module's order
};

/// Whether parts are optimised as a whole, or hardly at all (instrument/optimise.h). Then nothing is inlined, and large
/// functions get parts of their own.
enum class PartCode : uint8_t { kOptimised, kQuick };

/// Divides by the user's translation units, so that what a compiler would have seen together stays together; a unit
/// that is larger than its share is cut between functions. Depends on the module only, not on the machine. Symbols that
/// parts share become hidden ones.
Division divide(llvm::Module& module, const llvm::StringSet<>& named_in_assembly, PartCode code);

/// A divided module as bitcode, from which each part is read by itself.
///
/// Working on a part in a forked copy of the whole module instead took nearly twice the processor time: every
/// page that it touches has to be copied, and most of it is thrown away.
class DividedModule {
 public:
  DividedModule(const llvm::Module& module, Division division);

  unsigned parts() const { return division_.parts; }
  unsigned large_parts() const { return division_.large_parts; }
  bool is_large(unsigned part) const { return part >= division_.parts - division_.large_parts; }

  /// What belongs to `part`, and the small functions of other parts, for the inliner. Errors that LLVM finds later, as
  /// in inline assembly, are printed and end the process.
  std::unique_ptr<llvm::Module> read_part(unsigned part, llvm::LLVMContext& context) const;

 private:
  Division division_;
  llvm::SmallVector<char, 0> bitcode_;
};

}  // namespace culprit
