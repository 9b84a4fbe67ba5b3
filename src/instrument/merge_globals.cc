#include "instrument/merge_globals.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "format/runtime_abi.h"
#include "instrument/assembly_names.h"

namespace culprit {
namespace {

struct Group {
  const char* symbol;
  bool thread_local_storage;
  bool zero;
  std::vector<llvm::GlobalVariable*> members;
};

struct Member {
  llvm::GlobalVariable* variable;
  uint64_t offset;
};

// The one definition that the program will use is this one: nothing at link or load time replaces it. (The C++ rule
// that all definitions are the same makes linkonce_odr and weak_odr as good.)
bool is_settled(const llvm::GlobalVariable& variable) {
  return !variable.isInterposable() || variable.hasCommonLinkage();
}

class Merger {
 public:
  explicit Merger(llvm::Module& module) : module_(module), layout_(module.getDataLayout()) {
    llvm::SmallVector<llvm::GlobalValue*, 16> used;
    llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/false);
    llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/true);
    used_.insert(used.begin(), used.end());
    assembly_ = names_in_assembly(module);
  }

  MergedGlobals run() {
    Group groups[] = {{format::kGlobalsSymbol, false, false, {}},
                      {format::kZeroGlobalsSymbol, false, true, {}},
                      {format::kThreadGlobalsSymbol, true, false, {}},
                      {format::kZeroThreadGlobalsSymbol, true, true, {}}};
    MergedGlobals result;
    for (llvm::GlobalVariable& variable : module_.globals()) {
      if (variable.isDeclaration() || variable.isConstant() || variable.getName().starts_with("llvm.")) continue;
      if (!may_merge(variable)) {
        result.left.push_back(variable.getName().str());
        continue;
      }
      const bool zero =
          variable.getInitializer()->isNullValue() || llvm::isa<llvm::UndefValue>(variable.getInitializer());
      for (Group& group : groups) {
        if (group.zero == zero && group.thread_local_storage == variable.isThreadLocal())
          group.members.push_back(&variable);
      }
    }
    for (Group& group : groups) {
      (group.thread_local_storage ? result.merged_thread_local : result.merged) += group.members.size();
      if (!group.members.empty()) merge(group);
    }
    return result;
  }

 private:
  bool may_merge(const llvm::GlobalVariable& variable) const {
    return variable.hasInitializer() && !variable.hasSection() && !variable.hasAppendingLinkage() &&
           !variable.isExternallyInitialized() && variable.getAddressSpace() == 0 && is_settled(variable) &&
           !variable.hasPartition() && !variable.hasMetadata(llvm::LLVMContext::MD_associated) &&
           !used_.contains(const_cast<llvm::GlobalVariable*>(&variable)) && !assembly_.contains(variable.getName()) &&
           !variable.hasImplicitSection();
  }

  void merge(const Group& group) {
    llvm::Type* byte = llvm::Type::getInt8Ty(module_.getContext());
    std::vector<llvm::Constant*> fields;
    std::vector<Member> members;
    uint64_t end = 0;
    llvm::Align alignment(16);
    for (llvm::GlobalVariable* variable : group.members) {
      const llvm::Align own = variable->getAlign().value_or(layout_.getPreferredAlign(variable));
      const uint64_t offset = llvm::alignTo(end, own);
      if (offset > end) fields.push_back(llvm::Constant::getNullValue(llvm::ArrayType::get(byte, offset - end)));
      llvm::Constant* initial = variable->getInitializer();
      if (llvm::isa<llvm::UndefValue>(initial)) initial = llvm::Constant::getNullValue(initial->getType());
      fields.push_back(initial);
      members.push_back({variable, offset});
      end = offset + layout_.getTypeAllocSize(variable->getValueType());
      alignment = std::max(alignment, own);
    }
    llvm::Constant* initial = llvm::ConstantStruct::getAnon(module_.getContext(), fields, /*Packed=*/true);
    // Not internal: LLVM takes internal structures apart again.
    merged_ = new llvm::GlobalVariable(
        module_, initial->getType(), false, llvm::GlobalValue::ExternalLinkage, initial, group.symbol, nullptr,
        group.thread_local_storage ? llvm::GlobalVariable::InitialExecTLSModel : llvm::GlobalVariable::NotThreadLocal);
    merged_->setVisibility(llvm::GlobalValue::HiddenVisibility);
    merged_->setAlignment(alignment);
    for (const Member& member : members) {
      merged_->copyMetadata(member.variable, member.offset);
      replace(member);
    }
  }

  llvm::Constant* address(uint64_t offset) const {
    llvm::Type* word = llvm::Type::getInt64Ty(module_.getContext());
    return llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(module_.getContext()), merged_,
                                                llvm::ConstantInt::get(word, offset));
  }

  void replace(const Member& member) {
    llvm::GlobalVariable* variable = member.variable;
    if (merged_->isThreadLocal()) {
      replace_thread_local_uses(member);
    } else {
      variable->replaceAllUsesWith(address(member.offset));
    }
    if (!variable->hasLocalLinkage()) keep_symbol(member);
    variable->eraseFromParent();
  }

  // A thread-local address belongs to a place in the code: it is asked for where it was asked for.
  void replace_thread_local_uses(const Member& member) {
    llvm::GlobalVariable* variable = member.variable;
    llvm::convertUsersOfConstantsToInstructions({variable});
    for (llvm::Use& use : llvm::make_early_inc_range(variable->uses())) {
      auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user) continue;
      auto* ask = llvm::dyn_cast<llvm::IntrinsicInst>(user);
      if (ask && ask->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
        llvm::IRBuilder<> builder(ask);
        ask->replaceAllUsesWith(
            builder.CreateConstGEP1_64(builder.getInt8Ty(), builder.CreateThreadLocalAddress(merged_), member.offset));
        ask->eraseFromParent();
        continue;
      }
      llvm::Instruction* place = user;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) place = phi->getIncomingBlock(use)->getTerminator();
      llvm::IRBuilder<> builder(place);
      use.set(
          builder.CreateConstGEP1_64(builder.getInt8Ty(), builder.CreateThreadLocalAddress(merged_), member.offset));
    }
    // What is left are aliases; they may stand for a place in another object.
    variable->replaceAllUsesWith(address(member.offset));
  }

  void keep_symbol(const Member& member) {
    llvm::GlobalVariable* variable = member.variable;
    auto linkage = llvm::GlobalValue::ExternalLinkage;
    if (variable->isWeakForLinker()) linkage = llvm::GlobalValue::WeakAnyLinkage;
    llvm::GlobalAlias* alias =
        llvm::GlobalAlias::create(variable->getValueType(), 0, linkage, "", address(member.offset), &module_);
    alias->takeName(variable);
    alias->setVisibility(variable->getVisibility());
    alias->setDLLStorageClass(variable->getDLLStorageClass());
    alias->setThreadLocalMode(merged_->getThreadLocalMode());
    alias->setDSOLocal(true);
  }

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<llvm::GlobalValue*, 16> used_;
  llvm::StringSet<> assembly_;
  llvm::GlobalVariable* merged_ = nullptr;
};

}  // namespace

MergedGlobals merge_globals(llvm::Module& module) {
  return Merger(module).run();
}

}  // namespace culprit
