// Frames on the two stacks that hold variables apart from the machine's stack (DESIGN §2).
#pragma once

#include <cstdint>
#include <vector>

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
}  // namespace llvm

namespace culprit {

enum class FrameStack : uint8_t {
  kUser,     ///< variables whose address the program can see; the same addresses in every body
  kPrivate,  ///< all other variables, in bodies with homes
};

struct FrameVariable {
  llvm::AllocaInst* variable;
  uint64_t offset;  ///< from the frame's base
};

/// Where every variable of a frame lies; a function's frame is `bytes` long and its base aligned to `alignment` (at
/// least 16).
struct FrameLayout {
  std::vector<FrameVariable> variables;
  uint64_t bytes = 0;
  uint64_t alignment = 16;

  /// Places `variable` behind those already placed.
  void append(llvm::AllocaInst& variable);
};

/// True when control can come back into the middle of `function` with another stack pointer: it has landing pads or
/// calls that return twice (setjmp, getcontext, vfork) or switch contexts.
bool is_reentered(const llvm::Function& function);

/// True of calls behind which control may arrive with another stack: they return twice or switch contexts.
bool reenters(const llvm::CallBase& call);

/// True when `function` calls something that returns twice.
bool calls_returns_twice(const llvm::Function& function);

/// Moves the variables of `layout` and the dynamically sized `dynamic` ones from the machine's stack to a frame on
/// `stack`: the frame is pushed at entry, popped before each exit and before a `musttail` call, and published again
/// wherever the function is re-entered. The variables' allocas are replaced by addresses marked with
/// metadata::kUserHome or kPrivateHome. Without variables it does so for a re-entered function only, which then repairs
/// the pointer for its callees.
void build_frame(llvm::Function& function, FrameStack stack, const FrameLayout& layout,
                 const std::vector<llvm::AllocaInst*>& dynamic);

}  // namespace culprit
