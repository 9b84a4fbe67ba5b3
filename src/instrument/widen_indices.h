// Integer variables that count loops and index arrays, kept in 64 bits.
#pragma once

#include <llvm/IR/Module.h>

#include <cstddef>

namespace culprit {

struct WidenedIndices {
  size_t variables = 0;
  size_t extensions = 0;   ///< sign extensions of arithmetic that became arithmetic of extended values
  size_t comparisons = 0;  ///< comparisons that became 64 bits wide
};

/// Gives 32-bit loop variables 64 bits, where C says that their arithmetic does not wrap, and so moves sign extensions
/// from indices to what these are computed from. Runs before normalise, which drops what C says.
///
/// Signed overflow is open in C, and a body that exploits it while another does not would mean something else. Here it
/// is decided once, for all bodies: the variable counts on beyond 32 bits. Scalar evolution then sees indices that grow
/// steadily and loops that end, without any promise left in the code that a body could use or not. Unsigned arithmetic
/// (and signed under -fwrapv), which wraps by definition, stays 32 bits wide.
///
/// A widened variable's low 4 bytes are the value that the program sees; the other 4 are its sign unless it overflowed.
/// Debug information and the program model describe the low ones. Who writes such a variable writes 8 bytes, extended
/// by sign: metadata::kPrivateHome holds the size that it has.
WidenedIndices widen_indices(llvm::Module& module);

}  // namespace culprit
