#include "instrument/describe_variables.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/metadata.h"

namespace culprit {
namespace {

struct Described {
  llvm::Instruction* base;
  int64_t offset;
};

// What has to be kept to find the variable at `address` again: the frame's base, or the address when it was computed at
// run time (a variable-length array).
Described base_of(llvm::Instruction& address) {
  auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
  const bool in_frame =
      element && (element->hasMetadata(metadata::kUserHome) || element->hasMetadata(metadata::kPrivateHome));
  auto* base = in_frame ? llvm::dyn_cast<llvm::Instruction>(element->getPointerOperand()) : nullptr;
  if (!base) return {&address, 0};
  llvm::APInt offset(64, 0);
  element->accumulateConstantOffset(element->getDataLayout(), offset);
  return {base, offset.getSExtValue()};
}

class Keeper {
 public:
  explicit Keeper(llvm::Function& body) : body_(body) {}

  // Where `base` is kept. The store is volatile, or it would not outlive the first optimisation.
  llvm::AllocaInst* kept(llvm::Instruction& base) {
    llvm::AllocaInst*& variable = kept_[&base];
    if (variable) return variable;
    llvm::BasicBlock& entry = body_.getEntryBlock();
    variable = new llvm::AllocaInst(base.getType(), 0, base.getName() + ".kept", entry.begin());
    variable->setMetadata(metadata::kInternal, llvm::MDNode::get(body_.getContext(), {}));
    std::optional<llvm::BasicBlock::iterator> after = base.getInsertionPointAfterDef();
    llvm::IRBuilder<> builder((*after)->getParent(), *after);
    builder.SetCurrentDebugLocation(base.getDebugLoc());
    builder.CreateStore(&base, variable, /*isVolatile=*/true);
    return variable;
  }

 private:
  llvm::Function& body_;
  llvm::DenseMap<llvm::Instruction*, llvm::AllocaInst*> kept_;
};

template <typename Declaration>
void describe(Declaration& declaration, Keeper& keeper) {
  auto* address = llvm::dyn_cast_or_null<llvm::Instruction>(declaration.getAddress());
  if (!address || llvm::isa<llvm::AllocaInst>(address)) return;
  const Described described = base_of(*address);
  llvm::AllocaInst* kept = keeper.kept(*described.base);
  declaration.replaceVariableLocationOp(address, kept);
  declaration.setExpression(
      llvm::DIExpression::prepend(declaration.getExpression(), llvm::DIExpression::DerefBefore, described.offset));
}

}  // namespace

void describe_variables(llvm::Function& body) {
  if (!body.getSubprogram()) return;
  llvm::SmallVector<llvm::DbgVariableRecord*, 16> records;
  llvm::SmallVector<llvm::DbgDeclareInst*, 16> intrinsics;
  for (llvm::Instruction& instruction : llvm::instructions(body)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      if (record.isDbgDeclare()) records.push_back(&record);
    }
    if (auto* declare = llvm::dyn_cast<llvm::DbgDeclareInst>(&instruction)) intrinsics.push_back(declare);
  }
  Keeper keeper(body);
  for (llvm::DbgVariableRecord* record : records) describe(*record, keeper);
  for (llvm::DbgDeclareInst* declare : intrinsics) describe(*declare, keeper);
}

}  // namespace culprit
