// All mutable globals in one structure, so that no body can assume where one variable ends and another does not begin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace culprit {

struct MergedGlobals {
  size_t merged = 0;
  size_t merged_thread_local = 0;
  /// Names of mutable globals defined here that stay on their own: in an explicit section, used by assembly, or such
  /// that the linker may choose another definition.
  std::vector<std::string> left;
};

/// Moves every mutable global that the module defines into `culprit_globals` or, when zero-initialised, into
/// `culprit_zero_globals` (so that .bss stays .bss), thread-local ones into `culprit_thread_globals` and
/// `culprit_zero_thread_globals`; in the order of the module, with their alignments. Symbols that others may see remain
/// as aliases with their linkage and visibility; debug information follows.
///
/// An optimiser reasons by object: two globals never overlap, so an overflow of one into the next is invisible to it.
/// Within one object it only reasons by offset, which is what the memory really does (measured: with this, overflows
/// give equal values at -O0 and -O2).
MergedGlobals merge_globals(llvm::Module& module);

}  // namespace culprit
