#include "instrument/share_symbols.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace culprit {
namespace {

/// Appended to statics that another object must see, so that they meet no symbol of a native object.
constexpr const char* kSharedSuffix = ".culprit";

}  // namespace

bool is_for_compiler(const llvm::GlobalValue& value) {
  return value.getName().starts_with("llvm.") || value.hasAppendingLinkage();
}

void share_symbol(llvm::GlobalValue& value, const llvm::StringSet<>& named_in_assembly) {
  if (is_for_compiler(value) || value.isDeclaration()) return;
  // What this object does not use may still be used by another.
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

}  // namespace culprit
