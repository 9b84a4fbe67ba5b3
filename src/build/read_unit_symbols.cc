#include "build/read_unit_symbols.h"

#include <fmt/format.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "base/error.h"
#include "instrument/assembly_names.h"

namespace culprit {
namespace {

Binding binding_of(const llvm::GlobalValue& value) {
  if (value.hasLocalLinkage()) return Binding::kLocal;
  if (value.isDeclarationForLinker()) return Binding::kDeclared;
  if (value.hasLinkOnceODRLinkage() || value.hasWeakODRLinkage()) return Binding::kInline;
  return value.isWeakForLinker() ? Binding::kWeak : Binding::kStrong;
}

std::map<std::string, std::string> strict_options(const llvm::Module& module) {
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> entries;
  module.getModuleFlagsMetadata(entries);
  std::map<std::string, std::string> options;
  for (const auto& entry : entries) {
    if (entry.Behavior != llvm::Module::Error) continue;
    llvm::raw_string_ostream out(options[entry.Key->getString().str()]);
    entry.Val->printAsOperand(out, &module);
  }
  return options;
}

void materialise_functions(const CompileUnit& unit, llvm::Module& module, llvm::StringSet<>& inline_seen) {
  for (llvm::Function& function : module) {
    if (function.hasLinkOnceODRLinkage() && !inline_seen.insert(function.getName()).second) continue;
    if (llvm::Error error = function.materialize()) {
      throw UserError(
          fmt::format("{}: the bitcode of {} is damaged: {}", unit.file, unit.name, llvm::toString(std::move(error))),
          "compile the program again with this Culprit's culprit-cc");
    }
  }
}

std::set<std::string> std_set(const llvm::StringSet<>& names) {
  std::set<std::string> all;
  for (const auto& name : names) all.insert(name.getKey().str());
  return all;
}

}  // namespace

UnitSymbols read_unit_symbols(const CompileUnit& unit, const Component& component, llvm::Module& module,
                              llvm::StringSet<>& inline_seen) {
  materialise_functions(unit, module, inline_seen);
  UnitSymbols read{.name = unit.name,
                   .component = unit.component,
                   .target = module.getTargetTriple() + " " + module.getDataLayoutStr(),
                   .strict_options = strict_options(module),
                   .symbols = {},
                   .hidden = {},
                   .named_in_assembly = std_set(names_in_assembly(module)),
                   .labels_in_assembly = std_set(labels_in_assembly(module))};
  const bool is_library = unit.component != 0;
  for (const llvm::GlobalValue& value : module.global_values()) {
    const std::string name = value.getName().str();
    if (name.starts_with("llvm.")) continue;
    const Binding binding = binding_of(value);
    read.symbols.emplace(name, binding);
    if (binding == Binding::kDeclared || binding == Binding::kLocal) continue;
    const bool is_exported = is_library ? std::binary_search(component.exports.begin(), component.exports.end(), name)
                                        : value.hasDefaultVisibility();
    if (!is_exported) read.hidden.insert(name);
  }
  return read;
}

}  // namespace culprit
