#include "instrument/native_functions.h"

#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

namespace culprit {
namespace {

/// Native copies of resolvers and of their direct callees, made once each.
class EarlyCopies {
 public:
  llvm::Function* of(llvm::Function& original) {
    llvm::Function*& copy = copies_[&original];
    if (copy) return copy;
    llvm::ValueToValueMapTy values;
    copy = llvm::CloneFunction(&original, values);
    copy->setName(original.getName() + ".early");
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
    copy->setComdat(nullptr);
    copy->addFnAttr(kNativeAttribute, "runs before thread-local storage is ready (ifunc resolver)");
    pending_.push_back(copy);
    return copy;
  }

  /// Lets copies call copies.
  void close_over_callees() {
    while (!pending_.empty()) {
      llvm::Function& caller = *pending_.back();
      pending_.pop_back();
      for (llvm::Instruction& instruction : llvm::instructions(caller)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && is_instrumented(*callee)) call->setCalledFunction(of(*callee));
      }
    }
  }

  const std::map<llvm::Function*, llvm::Function*>& all() const { return copies_; }

 private:
  std::map<llvm::Function*, llvm::Function*> copies_;
  std::vector<llvm::Function*> pending_;
};

}  // namespace

bool stays_native(const llvm::Function& function) {
  return function.hasFnAttribute(kNativeAttribute);
}

bool is_instrumented(const llvm::Function& function) {
  return !function.isDeclarationForLinker() && !stays_native(function);
}

std::vector<FunctionReason> set_apart_native_functions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    function.addFnAttr(kNativeAttribute, "naked: its body is assembly");
    function.addFnAttr(llvm::Attribute::NoInline);
  }
  EarlyCopies copies;
  for (llvm::GlobalIFunc& indirect : module.ifuncs()) {
    llvm::Function* resolver = indirect.getResolverFunction();
    if (resolver && is_instrumented(*resolver)) indirect.setResolver(copies.of(*resolver));
  }
  copies.close_over_callees();

  std::vector<FunctionReason> native;
  for (const llvm::Function& function : module) {
    if (!stays_native(function)) continue;
    native.push_back({function.getName().str(), function.getFnAttribute(kNativeAttribute).getValueAsString().str()});
  }
  return native;
}

}  // namespace culprit
