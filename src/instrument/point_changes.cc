#include "instrument/point_changes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include "format/points_abi.h"
#include "instrument/index_points.h"

namespace culprit {
namespace {

// No assembler knows them.
constexpr const char* kRead = "culprit_point_read";
constexpr const char* kAdd = "culprit_point_add";
constexpr const char* kSet = "culprit_point_set";

llvm::CallInst* create(llvm::IRBuilderBase& builder, const char* text, const char* constraints, llvm::Type* result,
                       llvm::ArrayRef<llvm::Value*> operands, llvm::ModRefInfo access) {
  llvm::SmallVector<llvm::Type*, 2> types;
  for (const llvm::Value* operand : operands) types.push_back(operand->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  const bool changes = access != llvm::ModRefInfo::Ref;
  llvm::CallInst* call = builder.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, changes), operands);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly(access));
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  call->addFnAttr(llvm::Attribute::NoMerge);
  return call;
}

/// Empty when the instruction is none of these.
llvm::StringRef text_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const auto* assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!assembly) return {};
  const llvm::StringRef text = assembly->getAsmString();
  return text == kRead || text == kAdd || text == kSet ? text : llvm::StringRef();
}

int64_t constant_of(const llvm::CallInst& call, unsigned operand) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getSExtValue();
}

void lower(llvm::CallInst& call, llvm::StringRef text) {
  llvm::IRBuilder<> builder(&call);
  const auto place = static_cast<size_t>(constant_of(call, 0));
  llvm::Constant* word = thread_points_address(*call.getModule(), place);
  if (text == kRead) {
    llvm::Value* value = builder.CreateLoad(call.getType(), word);
    value->takeName(&call);
    call.replaceAllUsesWith(value);
  } else if (text == kSet) {
    builder.CreateStore(call.getArgOperand(1), word);
  } else if (place == offsetof(format::ThreadPoints, top)) {
    // The number and the top lie side by side. Changes of the same kind would be made one of vectors, which then waits
    // for the stores of their halves.
    llvm::Value* old = builder.CreateLoad(builder.getPtrTy(), word);
    builder.CreateStore(
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), old, static_cast<uint64_t>(constant_of(call, 1))),
        word);
  } else {
    llvm::Value* old = builder.CreateLoad(builder.getInt64Ty(), word);
    builder.CreateStore(builder.CreateAdd(old, call.getArgOperand(1)), word);
  }
}

}  // namespace

llvm::Value* read_point_word(llvm::IRBuilderBase& builder, size_t place, llvm::Type* type) {
  return create(builder, kRead, "=r,i", type, {builder.getInt64(place)}, llvm::ModRefInfo::Ref);
}

void add_to_point_word(llvm::IRBuilderBase& builder, size_t place, int64_t amount) {
  llvm::Value* by = builder.getInt64(static_cast<uint64_t>(amount));
  create(builder, kAdd, "i,i", builder.getVoidTy(), {builder.getInt64(place), by}, llvm::ModRefInfo::ModRef);
}

void set_point_word(llvm::IRBuilderBase& builder, size_t place, llvm::Value* value) {
  create(builder, kSet, "i,r", builder.getVoidTy(), {builder.getInt64(place), value}, llvm::ModRefInfo::Mod);
}

bool is_point_change(const llvm::Instruction& instruction) {
  const llvm::StringRef text = text_of(instruction);
  return text == kAdd || text == kSet;
}

void join_point_changes(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    llvm::SmallVector<llvm::CallInst*, 2> last;  // an addition that nobody has seen yet, by word
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      if (text_of(instruction) != kAdd) {
        // Who does not look at such memory does not look at the word.
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && !llvm::isNoModRef(call->getMemoryEffects().getModRef(llvm::IRMemLocation::InaccessibleMem)))
          last.clear();
        continue;
      }
      auto& addition = llvm::cast<llvm::CallInst>(instruction);
      const auto same = llvm::find_if(
          last, [&](const llvm::CallInst* each) { return constant_of(*each, 0) == constant_of(addition, 0); });
      if (same == last.end()) {
        last.push_back(&addition);
        continue;
      }
      const int64_t sum = constant_of(**same, 1) + constant_of(addition, 1);
      (*same)->eraseFromParent();
      last.erase(same);
      if (sum == 0) {
        addition.eraseFromParent();
      } else {
        addition.setArgOperand(
            1, llvm::ConstantInt::get(addition.getArgOperand(1)->getType(), static_cast<uint64_t>(sum), true));
        last.push_back(&addition);
      }
    }
  }
}

void lower_point_words(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const llvm::StringRef text = text_of(instruction);
    if (text.empty()) continue;
    lower(llvm::cast<llvm::CallInst>(instruction), text);
    instruction.eraseFromParent();
  }
}

}  // namespace culprit
