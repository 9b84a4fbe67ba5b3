#include "instrument/bodies.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/TargetParser/Triple.h>

#include "base/error.h"
#include "format/runtime_abi.h"
#include "instrument/index_points.h"
#include "instrument/recursion.h"

namespace culprit {
namespace {

using Linkage = llvm::GlobalValue;

/// Calls of a function that are entitled to enter its body.
std::vector<llvm::CallBase*> direct_calls(llvm::Value& callee) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Use& use : callee.uses()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (call && call->isCallee(&use) && direct_callee(*call)) calls.push_back(call);
  }
  return calls;
}

SymbolBinding binding_of(const llvm::GlobalValue& value) {
  if (value.hasLocalLinkage()) return {.weak = false, .visibility = Linkage::HiddenVisibility};
  return {.weak = value.isWeakForLinker(), .visibility = value.getVisibility()};
}

/// The symbol outside: statics get a name that no other object can have.
std::string symbol_of(const llvm::GlobalValue& value) {
  return value.getName().str() + (value.hasLocalLinkage() ? ".thunk" : "");
}

/// What the rest of the module sees of a thunk, whose code is assembly.
llvm::Function* declare_thunk(llvm::Module& module, const llvm::Function& like, const std::string& symbol,
                              const SymbolBinding& binding) {
  auto* thunk =
      llvm::Function::Create(like.getFunctionType(), Linkage::ExternalLinkage, like.getAddressSpace(), symbol, &module);
  CULPRIT_ASSERT(thunk->getName() == symbol, symbol);
  thunk->setAttributes(like.getAttributes());
  thunk->setCallingConv(like.getCallingConv());
  thunk->setUnnamedAddr(like.getUnnamedAddr());
  thunk->setVisibility(binding.visibility);
  thunk->setDSOLocal(true);
  return thunk;
}

class BodyMaker {
 public:
  BodyMaker(llvm::Module& module, const llvm::StringSet<>& named_in_assembly)
      : module_(module), named_in_assembly_(named_in_assembly), library_(llvm::Triple(module.getTargetTriple())) {}

  FastBodies make() {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module_) {
      if (is_instrumented(function)) functions.push_back(&function);
    }
    std::vector<std::pair<llvm::GlobalAlias*, llvm::Function*>> aliases;
    for (llvm::GlobalAlias& alias : module_.aliases()) {
      auto* function = llvm::dyn_cast_or_null<llvm::Function>(alias.getAliaseeObject());
      if (function && is_instrumented(*function)) aliases.push_back({&alias, function});
    }
    for (const auto& [alias, function] : aliases) replace_alias(*alias, *function);
    for (llvm::Function* function : functions) make_body(*function);
    for (PendingAlias& pending : pending_aliases_) {
      pending.alias.thunk = symbols_.at(pending.function);
      result_.aliases.push_back(pending.alias);
    }
    forget_constructor_keys("llvm.global_ctors");
    forget_constructor_keys("llvm.global_dtors");
    result_.functions = functions.size();
    return std::move(result_);
  }

 private:
  void replace_alias(llvm::GlobalAlias& alias, llvm::Function& function) {
    for (llvm::CallBase* call : direct_calls(alias)) call->setCalledOperand(&function);
    const ThunkAlias made{.symbol = symbol_of(alias), .binding = binding_of(alias), .thunk = {}};
    alias.setName("");
    alias.replaceAllUsesWith(declare_thunk(module_, function, made.symbol, made.binding));
    alias.eraseFromParent();
    pending_aliases_.push_back({made, &function});
    aliased_.insert(&function);
  }

  bool needs_thunk(llvm::Function& function, size_t calls) const {
    if (aliased_.contains(&function) || named_in_assembly_.contains(function.getName())) return true;
    // Whoever else uses an inline function has a copy of it.
    const bool may_go = function.hasLocalLinkage() || function.hasLinkOnceODRLinkage();
    return !may_go || function.getNumUses() != calls;
  }

  void make_body(llvm::Function& function) {
    const std::string name = function.getName().str();
    const std::vector<llvm::CallBase*> calls = direct_calls(function);
    const bool thunked = needs_thunk(function, calls.size());
    llvm::LibFunc known;
    // Else loops in a program's own memcpy would become calls of memcpy.
    if (library_.getLibFunc(name, known)) function.addFnAttr("no-builtins");
    Thunk thunk{.symbol = symbol_of(function),
                .binding = binding_of(function),
                .section = function.getSection().str(),
                .fast_body = {},
                .observed_body = {},
                .local_name = {},
                .entry_note = entry_note(function)};
    if (function.hasLocalLinkage() && named_in_assembly_.contains(name)) thunk.local_name = name;
    function.setName(name + format::kFastSuffix);
    function.setComdat(nullptr);
    function.setSection("");
    if (thunked) {
      llvm::Function* declared = declare_thunk(module_, function, thunk.symbol, thunk.binding);
      // A label's address that could not be lowered still belongs to the body.
      function.replaceUsesWithIf(declared,
                                 [](const llvm::Use& use) { return !llvm::isa<llvm::BlockAddress>(use.getUser()); });
      for (llvm::CallBase* call : calls) call->setCalledOperand(&function);
      thunk.fast_body = function.getName().str();
      symbols_[&function] = thunk.symbol;
      result_.thunks.push_back(std::move(thunk));
    }
    function.setLinkage(thunked ? Linkage::ExternalLinkage : Linkage::InternalLinkage);
    function.setVisibility(thunked ? Linkage::HiddenVisibility : Linkage::DefaultVisibility);
    function.setDSOLocal(true);
  }

  /// Keys make the linker drop a constructor with the COMDAT that it belongs to; the merge has dropped the copies.
  void forget_constructor_keys(const char* list_name) {
    llvm::GlobalVariable* list = module_.getNamedGlobal(list_name);
    if (!list || !list->hasInitializer()) return;
    auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
    if (!entries) return;
    std::vector<llvm::Constant*> without_keys;
    for (const llvm::Use& operand : entries->operands()) {
      auto* entry = llvm::cast<llvm::ConstantStruct>(operand);
      without_keys.push_back(llvm::ConstantStruct::get(
          entry->getType(),
          {entry->getOperand(0), entry->getOperand(1), llvm::Constant::getNullValue(entry->getOperand(2)->getType())}));
    }
    list->setInitializer(llvm::ConstantArray::get(entries->getType(), without_keys));
  }

  struct PendingAlias {
    ThunkAlias alias;
    llvm::Function* function;
  };

  llvm::Module& module_;
  const llvm::StringSet<>& named_in_assembly_;
  llvm::TargetLibraryInfoImpl library_;
  std::vector<PendingAlias> pending_aliases_;
  llvm::DenseSet<llvm::Function*> aliased_;
  llvm::DenseMap<llvm::Function*, std::string> symbols_;
  FastBodies result_;
};

}  // namespace

FastBodies make_fast_bodies(llvm::Module& module, const llvm::StringSet<>& named_in_assembly) {
  return BodyMaker(module, named_in_assembly).make();
}

}  // namespace culprit
