#include "instrument/recursion.h"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "instrument/native_functions.h"

namespace culprit {
namespace {

bool by_name(const llvm::Function* left, const llvm::Function* right) {
  return left->getName() < right->getName();
}

std::vector<llvm::Function*> direct_callees(llvm::Function& caller) {
  std::vector<llvm::Function*> callees;
  for (const llvm::Instruction& instruction : llvm::instructions(caller)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (llvm::Function* callee = call ? direct_callee(*call) : nullptr) callees.push_back(callee);
  }
  std::sort(callees.begin(), callees.end(), by_name);
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  return callees;
}

enum class Visit { kUnseen, kOnPath, kDone };

struct Activation {
  llvm::Function* function;
  std::vector<llvm::Function*> callees;
  size_t next = 0;
};

}  // namespace

llvm::Function* direct_callee(const llvm::CallBase& call) {
  const llvm::Value* target = call.getCalledOperand();
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(target)) {
    if (llvm::GlobalValue::isInterposableLinkage(alias->getLinkage())) return nullptr;
    target = alias->getAliasee();
  }
  const auto* function = llvm::dyn_cast<llvm::Function>(target);
  if (!function || !is_instrumented(*function)) return nullptr;
  if (llvm::GlobalValue::isInterposableLinkage(function->getLinkage())) return nullptr;
  return const_cast<llvm::Function*>(function);
}

CallGraphOrder order_call_graph(llvm::Module& module) {
  CallGraphOrder order;
  std::vector<llvm::Function*> roots;
  for (llvm::Function& function : module) {
    if (is_instrumented(function)) roots.push_back(&function);
  }
  std::sort(roots.begin(), roots.end(), by_name);

  llvm::DenseMap<const llvm::Function*, Visit> visits;
  for (llvm::Function* root : roots) {
    if (visits[root] != Visit::kUnseen) continue;
    visits[root] = Visit::kOnPath;
    std::vector<Activation> path{{root, direct_callees(*root)}};
    while (!path.empty()) {
      Activation& top = path.back();
      if (top.next == top.callees.size()) {
        visits[top.function] = Visit::kDone;
        order.callees_first.push_back(top.function);
        path.pop_back();
        continue;
      }
      llvm::Function* callee = top.callees[top.next++];
      Visit& visit = visits[callee];
      if (visit == Visit::kOnPath) order.recursion_heads.insert(callee);
      if (visit != Visit::kUnseen) continue;
      visit = Visit::kOnPath;
      path.push_back({callee, direct_callees(*callee)});
    }
  }
  return order;
}

}  // namespace culprit
