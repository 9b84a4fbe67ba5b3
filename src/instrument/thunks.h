// Thunks: what a function's symbol is. An entry from outside ticks, reads which bodies the thread runs, and jumps.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace culprit {

/// How a symbol is seen by the linker.
struct SymbolBinding {
  bool weak = false;
  llvm::GlobalValue::VisibilityTypes visibility = llvm::GlobalValue::DefaultVisibility;
};

struct Thunk {
  std::string symbol;
  SymbolBinding binding;
  std::string section;  ///< the user's wish, or empty
  std::string fast_body;
  std::string observed_body;  ///< empty when there is none
  std::string local_name;     ///< a name for assembly of the same object, or empty
  /// What an entry changes of an execution-point id (instrument/index_points.h), or empty; it finds the point stack's top
  /// in %r11.
  std::string entry_note{};
};

enum class Entries {
  kTick,   ///< count the thread's budget down
  kPlain,  ///< only set up a thread that is entered for the first time
};

/// Another symbol for a thunk.
struct ThunkAlias {
  std::string symbol;
  SymbolBinding binding;
  std::string thunk;
};

/// Appends the thunks to the module's assembly. A thunk touches no argument register and nothing of the stack, so that
/// it serves every signature.
void emit_thunks(llvm::Module& module, const std::vector<Thunk>& thunks, const std::vector<ThunkAlias>& aliases,
                 Entries entries = Entries::kTick);

}  // namespace culprit
