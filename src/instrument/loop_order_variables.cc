#include "instrument/loop_order_variables.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <optional>

namespace culprit {
namespace {

/// Only read and written as a whole, so that its stores are all that changes it.
bool is_plain(const llvm::Value& variable, const llvm::Type& type) {
  if (!type.isIntegerTy()) return false;
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      return store->getPointerOperand() == &variable && !store->isVolatile();
    }
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic());
  });
}

/// Whether a store adds a constant other than 0 to the variable that it writes.
bool steps(const llvm::StoreInst& store) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(store.getValueOperand());
  if (!sum || (sum->getOpcode() != llvm::Instruction::Add && sum->getOpcode() != llvm::Instruction::Sub)) return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(sum->getOperand(0));
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
  return load && step && !step->isZero() && load->getPointerOperand() == store.getPointerOperand();
}

/// Called at one place, which is in no loop, of main or of such a function.
bool runs_once(const llvm::Function& function) {
  const llvm::Function* each = &function;
  for (llvm::DenseSet<const llvm::Function*> seen; each->getName() != "main";) {
    if (!seen.insert(each).second || !each->hasOneUse()) return false;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(each->user_back());
    if (!call || call->getCalledFunction() != each) return false;
    each = call->getFunction();
    llvm::CycleInfo cycles;
    cycles.compute(*const_cast<llvm::Function*>(each));
    if (cycles.getCycle(call->getParent())) return false;
  }
  return each->use_empty();
}

/// The constant that the variable holds whenever the loop is entered, if there is one.
const llvm::ConstantInt* value_at_entry(const llvm::Value& variable, const llvm::Loop& loop) {
  std::vector<const llvm::BasicBlock*> open;
  llvm::DenseSet<const llvm::BasicBlock*> seen;
  const auto reach = [&](const llvm::BasicBlock* block) {
    if (seen.insert(block).second) open.push_back(block);
  };
  for (const llvm::BasicBlock* before : llvm::predecessors(loop.getHeader())) {
    if (!loop.contains(before)) reach(before);
  }
  const llvm::ConstantInt* value = nullptr;
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    const llvm::StoreInst* last = nullptr;
    for (const llvm::Instruction& instruction : *block) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store && store->getPointerOperand() == &variable) last = store;
    }
    if (last) {
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(last->getValueOperand());
      if (!constant || (value && value != constant)) return nullptr;
      value = constant;
      continue;
    }
    if (block->isEntryBlock()) {
      const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&variable);
      const auto* initial = global ? llvm::dyn_cast<llvm::ConstantInt>(global->getInitializer()) : nullptr;
      if (!initial || (value && value != initial) || !runs_once(*block->getParent())) return nullptr;
      value = initial;
      continue;
    }
    if (llvm::pred_empty(block)) return nullptr;
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) reach(before);
  }
  return value;
}

/// Of a global variable: functions that the loop may call do not change it, and others leave what it began with.
bool can_be_passed_over(const llvm::StoreInst& store, const llvm::Loop& loop) {
  if (store.getFunction() == loop.getHeader()->getParent()) return true;
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(store.getPointerOperand());
  return global && store.getValueOperand() == global->getInitializer() && runs_once(*store.getFunction());
}

bool tells_iterations(const llvm::Value& variable, const llvm::Loop& loop, const llvm::LoopInfo& loops,
                      const llvm::DominatorTree& dominators) {
  const llvm::StoreInst* step = nullptr;
  for (const llvm::User* user : variable.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store && !can_be_passed_over(*store, loop)) return false;
    if (!store || !loop.contains(store)) continue;
    if (step || !steps(*store)) return false;
    step = store;
  }
  if (!step || loops.getLoopFor(step->getParent()) != &loop) return false;
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  loop.getLoopLatches(latches);
  const bool always = llvm::all_of(
      latches, [&](const llvm::BasicBlock* latch) { return dominators.dominates(step->getParent(), latch); });
  return always && value_at_entry(variable, loop) != nullptr;
}

std::optional<std::string> name_of_variable(llvm::AllocaInst& variable) {
  for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&variable))
    return record->getVariable()->getName().str();
  for (const llvm::DbgDeclareInst* declare : llvm::findDbgDeclares(&variable))
    return declare->getVariable()->getName().str();
  return std::nullopt;
}

/// Merging may have renamed a function that is local to its unit.
std::string symbol_in_source(const llvm::Function& function) {
  const llvm::DISubprogram* described = function.getSubprogram();
  if (!described) return function.getName().str();
  const llvm::StringRef linkage = described->getLinkageName();
  return (linkage.empty() ? described->getName() : linkage).str();
}

class Finder {
 public:
  Finder(llvm::Module& module, std::vector<LoopOrder>& loops) : loops_(loops) {
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (!variable.hasDefinitiveInitializer() || variable.isConstant() || variable.isThreadLocal()) continue;
      llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
      variable.getDebugInfo(described);
      if (described.empty() || !is_plain(variable, *variable.getValueType())) continue;
      globals_.emplace_back(&variable, described.front()->getVariable()->getName().str());
    }
  }

  void look_at(llvm::Function& function) {
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    std::vector<std::pair<llvm::Value*, std::string>> variables;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!variable || !is_plain(*variable, *variable->getAllocatedType())) continue;
      if (auto name = name_of_variable(*variable)) variables.emplace_back(variable, *name);
    }
    variables.insert(variables.end(), globals_.begin(), globals_.end());
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
      const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& each) {
        return tells_iterations(*each.first, *loop, loops, dominators);
      });
      add(function, *loop, found == variables.end() ? "" : found->second);
    }
  }

 private:
  void add(const llvm::Function& function, const llvm::Loop& loop, const std::string& variable) {
    LoopOrder one{.function = symbol_in_source(function), .variable = variable, .file = {}};
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        const llvm::DILocation* position = instruction.getDebugLoc().get();
        if (!position || position->getLine() == 0) continue;
        if (one.file.empty()) one.file = position->getFilename().str();
        one.first_line = one.first_line == 0 ? position->getLine() : std::min(one.first_line, position->getLine());
        one.last_line = std::max(one.last_line, position->getLine());
      }
    }
    loops_.push_back(std::move(one));
  }

  std::vector<LoopOrder>& loops_;
  std::vector<std::pair<llvm::Value*, std::string>> globals_;
};

}  // namespace

std::vector<LoopOrder> find_loop_order_variables(llvm::Module& module) {
  std::vector<LoopOrder> loops;
  Finder finder(module, loops);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) finder.look_at(function);
  }
  return loops;
}

}  // namespace culprit
