#include "instrument/forget_marks.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

#include "instrument/metadata.h"

namespace culprit {
namespace {

/// By kind of metadata, whether it is ours.
std::vector<bool> kinds_of_marks(const llvm::LLVMContext& context) {
  llvm::SmallVector<llvm::StringRef, 64> names;
  context.getMDKindNames(names);
  std::vector<bool> ours;
  for (const llvm::StringRef name : names) ours.push_back(name.starts_with("culprit.") && name != metadata::kLabelSwitch);
  return ours;
}

}  // namespace

void forget_marks(llvm::Module& half) {
  const std::vector<bool> ours = kinds_of_marks(half.getContext());
  for (llvm::Function& function : half) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!instruction.hasMetadataOtherThanDebugLoc()) continue;
      instruction.eraseMetadataIf([&](unsigned kind, llvm::MDNode*) { return kind < ours.size() && ours[kind]; });
    }
  }
}

}  // namespace culprit
