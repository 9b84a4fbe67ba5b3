#include "instrument/halves.h"

#include <fmt/format.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <utility>

#include "base/error.h"
#include "format/runtime_abi.h"
#include "instrument/share_symbols.h"

namespace culprit {
namespace {

llvm::StringRef without_suffix(const llvm::Function& fast_body) {
  return fast_body.getName().drop_back(llvm::StringRef(format::kFastSuffix).size());
}

bool is_copied(const llvm::Function& function) {
  return is_instrumented(function) && !function.hasFnAttribute(kSingleBodyAttribute);
}

}  // namespace

std::string observed_name(llvm::StringRef fast_body) {
  return (fast_body.drop_back(llvm::StringRef(format::kFastSuffix).size()) + format::kObservedSuffix).str();
}

std::vector<FunctionReason> share_with_observed_half(llvm::Module& program, FastBodies& bodies,
                                                     const llvm::StringSet<>& named_in_assembly) {
  std::vector<FunctionReason> single_bodies;
  for (llvm::Function& function : program) {
    if (!is_instrumented(function)) {
      share_symbol(function, named_in_assembly);
    } else if (!is_copied(function)) {
      single_bodies.push_back(
          {without_suffix(function).str(), function.getFnAttribute(kSingleBodyAttribute).getValueAsString().str()});
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }
  for (llvm::GlobalVariable& variable : program.globals()) share_symbol(variable, named_in_assembly);
  for (llvm::GlobalAlias& alias : program.aliases()) share_symbol(alias, named_in_assembly);
  for (llvm::GlobalIFunc& indirect : program.ifuncs()) share_symbol(indirect, named_in_assembly);
  for (Thunk& thunk : bodies.thunks) {
    const llvm::Function* fast = program.getFunction(thunk.fast_body);
    CULPRIT_ASSERT(fast, thunk.fast_body);
    // A function with one body has no entry here: observed threads run its fast body.
    if (is_copied(*fast)) thunk.observed_body = observed_name(thunk.fast_body);
  }
  return single_bodies;
}

std::unique_ptr<llvm::Module> split_observed_half(llvm::Module& program) {
  llvm::SetVector<const llvm::Function*> copied;
  for (llvm::Function& function : program) {
    if (is_copied(function)) copied.insert(&function);
  }
  llvm::ValueToValueMapTy copy_of;
  std::unique_ptr<llvm::Module> half = llvm::CloneModule(program, copy_of, [&](const llvm::GlobalValue* value) {
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) return copied.contains(function);
    // The optimiser may look into constants.
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
    return variable && variable->isConstant() && variable->hasDefinitiveInitializer() && !is_for_compiler(*variable);
  });
  half->setModuleInlineAsm("");
  for (llvm::GlobalVariable& variable : half->globals()) {
    if (variable.isDeclaration()) continue;
    variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    variable.setComdat(nullptr);
  }
  declare_ifuncs(*half);
  forget_variables_in_debug_info(*half);

  for (const llvm::Function* fast : copied) {
    llvm::cast<llvm::Function>(copy_of[fast])->setName(observed_name(fast->getName()));
  }
  remove_what_is_unused(*half);
  return half;
}

void drop_fast_bodies(llvm::Module& program, llvm::Module& observed_half, FastBodies& bodies) {
  for (Thunk& thunk : bodies.thunks) {
    if (!thunk.observed_body.empty()) thunk.fast_body = std::exchange(thunk.observed_body, {});
  }
  std::vector<llvm::Function*> dropped;
  for (llvm::Function& function : program) {
    if (is_instrumented(function) && !function.hasFnAttribute(kSingleBodyAttribute)) dropped.push_back(&function);
  }
  for (llvm::Function* function : dropped) {
    function->deleteBody();
    function->setComdat(nullptr);
  }
  for (llvm::Function* function : dropped) {
    if (function->use_empty()) {
      function->eraseFromParent();
      continue;
    }
    // Functions with a single body call it.
    const std::string name = observed_name(function->getName());
    function->setName(name);
    llvm::Function* observed = observed_half.getFunction(name);
    CULPRIT_ASSERT(observed, name);
    for (llvm::Function* each : {function, observed}) {
      each->setLinkage(llvm::GlobalValue::ExternalLinkage);
      each->setVisibility(llvm::GlobalValue::HiddenVisibility);
      each->setDSOLocal(true);
    }
  }
}

}  // namespace culprit
