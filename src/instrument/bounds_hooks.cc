#include "instrument/bounds_hooks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"

namespace culprit {
namespace {

constexpr uint64_t kFewestElements = 2;

/// An index operand of an address computation and the number of elements that the type it indexes has.
struct BoundedIndex {
  llvm::GetElementPtrInst* address;
  unsigned operand;
  uint64_t elements;
};

/// Whether memory is accessed at `address` or in an element of what lies there.
bool is_accessed(const llvm::Instruction& address) {
  for (const llvm::User* user : address.users()) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user); load) return true;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store && store->getPointerOperand() == &address)
      return true;
    if (llvm::isa<llvm::MemIntrinsic>(user)) return true;
    const auto* part = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    if (part && part->getPointerOperand() == &address && is_accessed(*part)) return true;
  }
  return false;
}

/// Whether `array` is the last member of a structure whose real size is not known here.
bool may_be_longer(const llvm::Value* array) {
  const auto* member = llvm::dyn_cast<llvm::GEPOperator>(array);
  if (!member) return false;
  const auto* structure = llvm::dyn_cast<llvm::StructType>(member->getSourceElementType());
  if (!structure || member->getNumIndices() < 2) return false;
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(member->getOperand(member->getNumOperands() - 1));
  if (!last || last->getZExtValue() + 1 != structure->getNumElements()) return false;
  const llvm::Value* object = member->stripInBoundsConstantOffsets();
  const auto* address = llvm::dyn_cast<llvm::Instruction>(object);
  const bool is_variable =
      llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object) ||
      (address && (address->hasMetadata(metadata::kUserHome) || address->hasMetadata(metadata::kPrivateHome)));
  return !is_variable;
}

void collect(llvm::GetElementPtrInst& address, std::vector<BoundedIndex>& found) {
  if (!is_accessed(address)) return;
  const llvm::Type* container = nullptr;
  unsigned operand = 1;
  for (auto type = llvm::gep_type_begin(address); type != llvm::gep_type_end(address); ++type, ++operand) {
    const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(container);
    container = type.getIndexedType();
    if (!array || llvm::isa<llvm::Constant>(address.getOperand(operand))) continue;
    const bool outermost = operand == 2 && may_be_longer(address.getPointerOperand());
    if (array->getNumElements() >= kFewestElements && !outermost) {
      found.push_back({&address, operand, array->getNumElements()});
    }
  }
}

void check(const BoundedIndex& bounded) {
  llvm::GetElementPtrInst& address = *bounded.address;
  const std::optional<uint32_t> statement = number_in(address, metadata::kStatement);
  if (!statement) return;
  llvm::IRBuilder<> builder(&address);
  auto* word = builder.getInt64Ty();
  llvm::Value* index = builder.CreateSExtOrTrunc(address.getOperand(bounded.operand), word);
  llvm::Value* outside = builder.CreateICmpUGE(index, builder.getInt64(bounded.elements));
  llvm::BasicBlock* before = address.getParent();
  llvm::MDNode* rarely = llvm::MDBuilder(address.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* asked = llvm::SplitBlockAndInsertIfThen(outside, address.getIterator(), false, rarely);
  llvm::IRBuilder<> ask(asked);
  llvm::FunctionCallee agent =
      address.getModule()->getOrInsertFunction("culprit_out_of_bounds", word, ask.getInt32Ty(), word, word);
  llvm::cast<llvm::Function>(agent.getCallee())->setDoesNotThrow();
  llvm::Value* answer = ask.CreateCall(agent, {ask.getInt32(*statement), index, ask.getInt64(bounded.elements)});
  llvm::IRBuilder<> join(&address);
  llvm::PHINode* chosen = join.CreatePHI(word, 2);
  chosen->addIncoming(index, before);
  chosen->addIncoming(answer, asked->getParent());
  address.setOperand(bounded.operand, chosen);
}

}  // namespace

void insert_bounds_hooks(llvm::Module& observed_half) {
  for (llvm::Function& function : observed_half) {
    if (!is_instrumented(function)) continue;
    std::vector<BoundedIndex> found;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) collect(*address, found);
    }
    for (const BoundedIndex& each : found) check(each);
  }
}

}  // namespace culprit
