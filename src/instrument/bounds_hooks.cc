#include "instrument/bounds_hooks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/pointed_objects.h"

namespace culprit {
namespace {

constexpr uint64_t kFewestElements = 2;
/// Pointers that are farther from their variable did not walk there: they are null, or were never written.
constexpr uint64_t kFarthest = uint64_t{1} << 31;

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

/// Asks the agent before `access` which element is to be accessed, when `outside` holds; the answer, or `index`.
llvm::Value* asked(llvm::Instruction& before, llvm::Value* outside, uint32_t statement, llvm::Value* index,
                   uint64_t elements) {
  auto* word = llvm::Type::getInt64Ty(before.getContext());
  llvm::BasicBlock* from = before.getParent();
  llvm::MDNode* rarely = llvm::MDBuilder(before.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* asking = llvm::SplitBlockAndInsertIfThen(outside, before.getIterator(), false, rarely);
  llvm::IRBuilder<> ask(asking);
  llvm::FunctionCallee agent =
      before.getModule()->getOrInsertFunction("culprit_out_of_bounds", word, ask.getInt32Ty(), word, word);
  llvm::cast<llvm::Function>(agent.getCallee())->setDoesNotThrow();
  llvm::Value* answer = ask.CreateCall(agent, {ask.getInt32(statement), index, ask.getInt64(elements)});
  llvm::IRBuilder<> join(&before);
  llvm::PHINode* chosen = join.CreatePHI(word, 2);
  chosen->addIncoming(index, from);
  chosen->addIncoming(answer, asking->getParent());
  return chosen;
}

void check(const BoundedIndex& bounded) {
  llvm::GetElementPtrInst& address = *bounded.address;
  const std::optional<uint32_t> statement = number_in(address, metadata::kStatement);
  if (!statement) return;
  llvm::IRBuilder<> builder(&address);
  auto* word = builder.getInt64Ty();
  llvm::Value* index = builder.CreateSExtOrTrunc(address.getOperand(bounded.operand), word);
  llvm::Value* outside = builder.CreateICmpUGE(index, builder.getInt64(bounded.elements));
  address.setOperand(bounded.operand, asked(address, outside, *statement, index, bounded.elements));
}

/// A load or store through a pointer that was made from one variable.
struct BoundedAccess {
  llvm::Instruction* access;
  PointedObject object;
  uint64_t bytes;
};

void collect(llvm::Instruction& access, const PointedObjects& objects, std::vector<BoundedAccess>& found) {
  llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  if (!pointer) return;
  const std::optional<PointedObject> object = objects.of(pointer);
  const uint64_t bytes = access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access));
  if (!object || bytes == 0 || bytes > object->bytes) return;
  llvm::APInt offset(64, 0);
  const llvm::Value* start = pointer->stripAndAccumulateConstantOffsets(access.getDataLayout(), offset, true);
  const bool is_inside = start == object->address && offset.ule(object->bytes - bytes);
  if (!is_inside) found.push_back({&access, *object, bytes});
}

/// The distance from the variable's start is told in elements of what is accessed.
void check(const BoundedAccess& bounded) {
  llvm::Instruction& access = *bounded.access;
  const std::optional<uint32_t> statement = number_in(access, metadata::kStatement);
  if (!statement) return;
  const unsigned operand = llvm::isa<llvm::StoreInst>(access) ? 1 : 0;
  llvm::IRBuilder<> builder(&access);
  auto* word = builder.getInt64Ty();
  llvm::Value* pointer = access.getOperand(operand);
  llvm::Value* distance =
      builder.CreateSub(builder.CreatePtrToInt(pointer, word), builder.CreatePtrToInt(bounded.object.address, word));
  llvm::Value* outside = builder.CreateICmpUGT(distance, builder.getInt64(bounded.object.bytes - bounded.bytes));
  llvm::Value* near =
      builder.CreateICmpULT(builder.CreateAdd(distance, builder.getInt64(kFarthest)), builder.getInt64(2 * kFarthest));
  outside = builder.CreateAnd(outside, near);
  llvm::Value* index = builder.CreateSDiv(distance, builder.getInt64(bounded.bytes));
  llvm::Value* chosen = asked(access, outside, *statement, index, bounded.object.bytes / bounded.bytes);
  llvm::IRBuilder<> then(&access);
  llvm::Value* inside =
      then.CreateGEP(then.getInt8Ty(), bounded.object.address, then.CreateMul(chosen, then.getInt64(bounded.bytes)));
  access.setOperand(operand, then.CreateSelect(then.CreateICmpEQ(chosen, index), pointer, inside));
}

}  // namespace

void insert_bounds_hooks(llvm::Module& observed_half) {
  for (llvm::Function& function : observed_half) {
    if (!is_instrumented(function)) continue;
    std::vector<BoundedIndex> found;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) collect(*address, found);
    }
    const PointedObjects objects(function);
    std::vector<BoundedAccess> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function)) collect(instruction, objects, accesses);
    for (const BoundedIndex& each : found) check(each);
    for (const BoundedAccess& each : accesses) check(each);
  }
}

}  // namespace culprit
