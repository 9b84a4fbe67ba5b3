#include "instrument/lower_indirect_branches.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "instrument/metadata.h"

namespace culprit {
namespace {

// Whether `value`, a label address or an expression of it, is an operand of inline assembly.
bool reaches_assembly(const llvm::Value& value) {
  for (const llvm::User* user : value.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call && call->isInlineAsm()) return true;
    if (llvm::isa<llvm::ConstantExpr>(user) && reaches_assembly(*user)) return true;
  }
  return false;
}

std::vector<llvm::BlockAddress*> label_addresses(llvm::Function& function) {
  std::vector<llvm::BlockAddress*> addresses;
  for (llvm::BasicBlock& block : function) {
    if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block)) addresses.push_back(address);
  }
  return addresses;
}

void lower_branch(llvm::IndirectBrInst& branch, const llvm::DenseMap<llvm::BasicBlock*, unsigned>& numbers) {
  llvm::IRBuilder<> builder(&branch);
  llvm::BasicBlock* source = branch.getParent();
  // Natively a wild jump; no body relies on it.
  auto* wild = llvm::BasicBlock::Create(branch.getContext(), "indirect.wild", source->getParent());
  new llvm::UnreachableInst(branch.getContext(), wild);
  llvm::Value* number = builder.CreatePtrToInt(branch.getAddress(), builder.getInt64Ty());
  llvm::SwitchInst* choice = builder.CreateSwitch(number, wild, branch.getNumDestinations());
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  for (unsigned i = 0; i < branch.getNumDestinations(); ++i) {
    llvm::BasicBlock* target = branch.getDestination(i);
    auto found = numbers.find(target);
    if (found != numbers.end() && seen.insert(target).second) {
      choice->addCase(builder.getInt64(found->second), target);
    } else {
      target->removePredecessor(source);
    }
  }
  choice->setDebugLoc(branch.getDebugLoc());
  choice->setMetadata(metadata::kLabelSwitch, llvm::MDNode::get(branch.getContext(), {}));
  branch.eraseFromParent();
}

// By number, from 0; null for numbers that the switch has no case for.
llvm::GlobalVariable* label_table(llvm::SwitchInst& choice) {
  uint64_t most = 0;
  for (const auto& each : choice.cases()) most = std::max(most, each.getCaseValue()->getZExtValue());
  auto* pointer = llvm::PointerType::get(choice.getContext(), 0);
  std::vector<llvm::Constant*> labels(most + 1, llvm::ConstantPointerNull::get(pointer));
  for (const auto& each : choice.cases()) {
    labels[each.getCaseValue()->getZExtValue()] = llvm::BlockAddress::get(each.getCaseSuccessor());
  }
  auto* type = llvm::ArrayType::get(pointer, labels.size());
  llvm::Module& module = *choice.getModule();
  auto* table = new llvm::GlobalVariable(module, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(type, labels), "culprit.labels");
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return table;
}

void jump_by_table(llvm::SwitchInst& choice) {
  llvm::IRBuilder<> builder(&choice);
  llvm::GlobalVariable* table = label_table(choice);
  llvm::Value* place = builder.CreateInBoundsGEP(table->getValueType(), table, {builder.getInt64(0), choice.getCondition()});
  llvm::LoadInst* label = builder.CreateLoad(builder.getPtrTy(), place);
  label->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(choice.getContext(), {}));
  llvm::IndirectBrInst* jump = builder.CreateIndirectBr(label, choice.getNumCases());
  for (const auto& each : choice.cases()) jump->addDestination(each.getCaseSuccessor());
  jump->setDebugLoc(choice.getDebugLoc());
  choice.getDefaultDest()->removePredecessor(choice.getParent());
  choice.eraseFromParent();
}

// Labels that ticks or ids share a block for have two edges there: an `indirectbr` has one for each target.
bool has_one_edge_each(const llvm::SwitchInst& choice) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> targets;
  return choice.getNumCases() != 0 && llvm::all_of(choice.cases(), [&](const auto& each) {
           return each.getCaseSuccessor() != choice.getDefaultDest() && targets.insert(each.getCaseSuccessor()).second;
         });
}

}  // namespace

std::vector<llvm::Function*> lower_indirect_branches(llvm::Module& module) {
  std::vector<llvm::Function*> left;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    std::vector<llvm::BlockAddress*> addresses = label_addresses(function);
    if (llvm::any_of(addresses, [](llvm::BlockAddress* address) { return reaches_assembly(*address); })) {
      left.push_back(&function);
      continue;
    }
    llvm::DenseMap<llvm::BasicBlock*, unsigned> numbers;
    llvm::Type* number_type = llvm::Type::getInt64Ty(module.getContext());
    for (llvm::BlockAddress* address : addresses) {
      const unsigned number = numbers.size() + 1;
      numbers[address->getBasicBlock()] = number;
      address->replaceAllUsesWith(
          llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(number_type, number), address->getType()));
      address->destroyConstant();
    }
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
      if (auto* branch = llvm::dyn_cast<llvm::IndirectBrInst>(block.getTerminator())) lower_branch(*branch, numbers);
    }
  }
  return left;
}

void jump_by_label_tables(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      auto* choice = llvm::dyn_cast_or_null<llvm::SwitchInst>(block.getTerminator());
      if (choice && choice->hasMetadata(metadata::kLabelSwitch) && has_one_edge_each(*choice)) jump_by_table(*choice);
    }
  }
}

}  // namespace culprit
