#include "instrument/halves.h"

#include <fmt/format.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "base/error.h"
#include "format/runtime_abi.h"

namespace culprit {
namespace {

/// Appended to statics that the other half must see, so that they meet no symbol of a native object.
constexpr const char* kSharedSuffix = ".culprit";

llvm::StringRef without_suffix(const llvm::Function& fast_body) {
  return fast_body.getName().drop_back(llvm::StringRef(format::kFastSuffix).size());
}

bool is_for_compiler(const llvm::GlobalValue& value) {
  return value.getName().starts_with("llvm.") || value.hasAppendingLinkage();
}

/// Makes a symbol that only this module knows known to the other half.
void share(llvm::GlobalValue& value, const llvm::StringSet<>& named_in_assembly) {
  if (is_for_compiler(value) || value.isDeclaration()) return;
  // What this half does not use may still be used by the other.
  if (value.hasLinkOnceODRLinkage()) value.setLinkage(llvm::GlobalValue::WeakODRLinkage);
  if (value.hasLinkOnceAnyLinkage()) value.setLinkage(llvm::GlobalValue::WeakAnyLinkage);
  if (!value.hasLocalLinkage()) return;
  const std::string name = value.getName().str();
  value.setName(name + kSharedSuffix);
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  value.setDSOLocal(true);
  if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
  if (!named_in_assembly.contains(name)) return;
  value.getParent()->appendModuleInlineAsm(fmt::format("\t.set\t\"{}\", \"{}\"", name, value.getName().str()));
}

/// A function in place of an ifunc, whose resolver is in the other half.
void declare_ifuncs(llvm::Module& module) {
  for (llvm::GlobalIFunc& indirect : llvm::make_early_inc_range(module.ifuncs())) {
    auto* declared = llvm::Function::Create(llvm::cast<llvm::FunctionType>(indirect.getValueType()),
                                            llvm::GlobalValue::ExternalLinkage, "", &module);
    declared->takeName(&indirect);
    declared->setVisibility(indirect.getVisibility());
    indirect.replaceAllUsesWith(declared);
    indirect.eraseFromParent();
  }
}

/// Variables are described once, by the half that holds them.
void forget_variables_in_debug_info(llvm::Module& module) {
  for (llvm::DICompileUnit* unit : module.debug_compile_units()) unit->replaceGlobalVariables(nullptr);
  for (llvm::GlobalVariable& variable : module.globals()) variable.eraseMetadata(llvm::LLVMContext::MD_dbg);
}

void remove_what_is_unused(llvm::Module& module) {
  for (const char* list : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"}) {
    if (llvm::GlobalVariable* variable = module.getNamedGlobal(list)) variable->eraseFromParent();
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace

std::unique_ptr<llvm::Module> split_observed_half(llvm::Module& program, FastBodies& bodies,
                                                  const llvm::StringSet<>& named_in_assembly,
                                                  std::vector<FunctionReason>& single_bodies) {
  llvm::SetVector<const llvm::Function*> copied;
  for (llvm::Function& function : program) {
    if (!is_instrumented(function)) {
      share(function, named_in_assembly);
      continue;
    }
    if (function.hasFnAttribute(kSingleBodyAttribute)) {
      single_bodies.push_back(
          {without_suffix(function).str(), function.getFnAttribute(kSingleBodyAttribute).getValueAsString().str()});
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
      continue;
    }
    copied.insert(&function);
  }
  for (llvm::GlobalVariable& variable : program.globals()) share(variable, named_in_assembly);
  for (llvm::GlobalAlias& alias : program.aliases()) share(alias, named_in_assembly);
  for (llvm::GlobalIFunc& indirect : program.ifuncs()) share(indirect, named_in_assembly);

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

  llvm::StringMap<std::string> observed_of;
  for (const llvm::Function* fast : copied) {
    auto* observed = llvm::cast<llvm::Function>(copy_of[fast]);
    observed->setName(without_suffix(*fast) + format::kObservedSuffix);
    observed_of[fast->getName()] = observed->getName().str();
  }
  for (Thunk& thunk : bodies.thunks) {
    // A function with one body has no entry here: observed threads run its fast body.
    if (const auto observed = observed_of.find(thunk.fast_body); observed != observed_of.end()) {
      thunk.observed_body = observed->second;
    }
  }
  remove_what_is_unused(*half);
  return half;
}

}  // namespace culprit
