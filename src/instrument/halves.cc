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

using Functions = llvm::SetVector<const llvm::Function*>;  // in the module's order

Functions copied_functions(llvm::Module& program) {
  Functions copied;
  for (llvm::Function& function : program) {
    if (is_copied(function)) copied.insert(&function);
  }
  return copied;
}

/// The optimiser may look into constants.
bool is_visible_constant(const llvm::GlobalValue& value) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  return variable && variable->isConstant() && variable->hasDefinitiveInitializer() && !is_for_compiler(*variable);
}

llvm::GlobalValue* declaration_of(const llvm::GlobalAlias& alias) {
  llvm::Module& module = *const_cast<llvm::GlobalAlias&>(alias).getParent();
  if (auto* type = llvm::dyn_cast<llvm::FunctionType>(alias.getValueType())) {
    return llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, alias.getAddressSpace(), "", &module);
  }
  return new llvm::GlobalVariable(module, alias.getValueType(), /*isConstant=*/false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, "", nullptr,
                                  alias.getThreadLocalMode(), alias.getAddressSpace());
}

/// What is defined in the other half becomes a declaration.
void declare_all_but(const Functions& kept, llvm::Module& half) {
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(half.aliases())) {
    llvm::GlobalValue* declared = declaration_of(alias);
    declared->takeName(&alias);
    alias.replaceAllUsesWith(declared);
    alias.eraseFromParent();
  }
  for (llvm::Function& function : half) {
    if (function.isDeclaration() || kept.contains(&function)) continue;
    function.deleteBody();
    function.setComdat(nullptr);
  }
  for (llvm::GlobalVariable& variable : half.globals()) {
    if (variable.isDeclaration() || is_visible_constant(variable)) continue;
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setComdat(nullptr);
  }
}

/// Leaves in the half what its functions need.
void settle_observed_half(llvm::Module& half) {
  half.setModuleInlineAsm("");
  for (llvm::GlobalVariable& variable : half.globals()) {
    if (variable.isDeclaration()) continue;
    variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    variable.setComdat(nullptr);
  }
  declare_ifuncs(half);
  forget_variables_in_debug_info(half);
  remove_what_is_unused(half);
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

std::unique_ptr<llvm::Module> copy_observed_half(llvm::Module& program) {
  const Functions copied = copied_functions(program);
  llvm::ValueToValueMapTy copy_of;
  std::unique_ptr<llvm::Module> half = llvm::CloneModule(program, copy_of, [&](const llvm::GlobalValue* value) {
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) return copied.contains(function);
    return is_visible_constant(*value);
  });
  for (const llvm::Function* fast : copied) {
    llvm::cast<llvm::Function>(copy_of[fast])->setName(observed_name(fast->getName()));
  }
  settle_observed_half(*half);
  return half;
}

std::unique_ptr<llvm::Module> take_observed_half(std::unique_ptr<llvm::Module>& program, FastBodies& bodies) {
  for (Thunk& thunk : bodies.thunks) {
    if (!thunk.observed_body.empty()) thunk.fast_body = std::exchange(thunk.observed_body, {});
  }
  const Functions taken = copied_functions(*program);
  llvm::ValueToValueMapTy copy_of;
  std::unique_ptr<llvm::Module> rest = llvm::CloneModule(*program, copy_of, [&](const llvm::GlobalValue* value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(value);
    return !function || !taken.contains(function);
  });
  for (const llvm::Function* body : taken) {
    auto* left_behind = llvm::cast<llvm::Function>(copy_of[body]);
    llvm::Function* function = program->getFunction(body->getName());
    function->setName(observed_name(function->getName()));
    if (left_behind->use_empty()) {
      left_behind->eraseFromParent();
      continue;
    }
    // Functions with a single body call it.
    left_behind->setName(function->getName());
    for (llvm::Function* each : {left_behind, function}) {
      each->setLinkage(llvm::GlobalValue::ExternalLinkage);
      each->setVisibility(llvm::GlobalValue::HiddenVisibility);
      each->setDSOLocal(true);
    }
  }
  std::unique_ptr<llvm::Module> half = std::exchange(program, std::move(rest));
  declare_all_but(taken, *half);
  settle_observed_half(*half);
  return half;
}

}  // namespace culprit
