#include "build/merge.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Linker/Linker.h>

#include "base/error.h"
#include "build/link_rules.h"
#include "build/read_unit_symbols.h"

namespace culprit {
namespace {

/// Keeps what LLVM says while it links.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string& kept) : kept(kept) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
    if (diagnostic.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(kept);
    llvm::DiagnosticPrinterRawOStream printer(out);
    diagnostic.print(printer);
    return true;
  }
  std::string& kept;
};

std::unique_ptr<llvm::Module> load(const CompileUnit& unit, llvm::StringRef bitcode, llvm::LLVMContext& context) {
  auto module = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, unit.name), context,
                                           /*ShouldLazyLoadMetadata=*/true);
  if (!module) {
    throw UserError(fmt::format("{}: the bitcode of {} cannot be read: {}", unit.file, unit.name,
                                llvm::toString(module.takeError())),
                    "compile the program again with this Culprit's culprit-cc");
  }
  return std::move(*module);
}

/// Makes a definition a declaration of the same symbol.
void drop_definition(llvm::Module& module, llvm::StringRef name) {
  llvm::GlobalValue* value = module.getNamedValue(name);
  if (!value) return;
  if (auto* function = llvm::dyn_cast<llvm::Function>(value)) {
    function->deleteBody();
    function->setComdat(nullptr);
  } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    variable->setInitializer(nullptr);
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable->setComdat(nullptr);
  } else {
    llvm::GlobalValue* declared = nullptr;
    if (auto* type = llvm::dyn_cast<llvm::FunctionType>(value->getValueType())) {
      declared = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", module);
    } else {
      declared = new llvm::GlobalVariable(module, value->getValueType(), false, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, "", nullptr, value->getThreadLocalMode());
    }
    declared->takeName(value);
    value->replaceAllUsesWith(declared);
    value->eraseFromParent();
  }
}

void rename(llvm::Module& module, llvm::StringRef from, llvm::StringRef to) {
  llvm::GlobalValue* value = module.getNamedValue(from);
  if (!value) return;
  llvm::GlobalValue* known = module.getNamedValue(to);
  if (!known) {
    value->setName(to);
    // A comdat is chosen by its name.
    auto* object = llvm::dyn_cast<llvm::GlobalObject>(value);
    if (object && object->hasComdat() && object->getComdat()->getName() == from) {
      llvm::Comdat* comdat = module.getOrInsertComdat(to);
      comdat->setSelectionKind(object->getComdat()->getSelectionKind());
      object->setComdat(comdat);
    }
    return;
  }
  value->replaceAllUsesWith(known);
  CULPRIT_ASSERT(value->isDeclaration(), fmt::format("{} becomes {}, which is defined too", from.str(), to.str()));
  value->eraseFromParent();
}

/// `.symver` gives versions to a shared library's symbols; in an executable there are none.
void drop_symbol_versions(llvm::Module& module) {
  std::string kept;
  llvm::StringRef rest = module.getModuleInlineAsm();
  while (!rest.empty()) {
    const auto [line, after] = rest.split('\n');
    if (!line.contains(".symver")) kept += (line + "\n").str();
    rest = after;
  }
  module.setModuleInlineAsm(kept);
}

void prepare(llvm::Module& module, const CompileUnit& unit, const UnitVerdict& verdict) {
  for (const std::string& symbol : verdict.dropped) drop_definition(module, symbol);
  for (const auto& [from, to] : verdict.renamed) rename(module, from, to);
  for (const std::string& symbol : verdict.made_local) {
    llvm::GlobalValue* value = module.getNamedValue(symbol);
    if (value && !value->isDeclaration()) value->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  if (unit.component != 0 && !module.getModuleInlineAsm().empty()) drop_symbol_versions(module);
}

}  // namespace

MergedProgram merge_units(const CompileJob& job, llvm::LLVMContext& context,
                          const std::function<llvm::StringRef(const CompileUnit&)>& bitcode,
                          const std::function<void(const std::string&)>& progress) {
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  context.enableDebugTypeODRUniquing();

  // Read all units.
  std::vector<std::unique_ptr<llvm::Module>> modules;
  std::vector<UnitSymbols> symbols;
  llvm::StringSet<> inline_seen;
  for (const CompileUnit& unit : job.units) {
    progress("read " + unit.name);
    modules.push_back(load(unit, bitcode(unit), context));
    symbols.push_back(read_unit_symbols(unit, job.components.at(unit.component), *modules.back(), inline_seen));
  }

  // Decide what the linker would decide, then join what can be joined.
  const std::vector<UnitVerdict> verdicts = apply_link_rules(job, symbols);
  MergedProgram merged;
  std::unique_ptr<llvm::Linker> linker;
  for (size_t index = 0; index < job.units.size(); ++index) {
    const CompileUnit& unit = job.units[index];
    prepare(*modules[index], unit, verdicts[index]);
    if (!verdicts[index].native_because.empty()) {
      merged.unmerged.push_back({index, verdicts[index].native_because, std::move(modules[index])});
      continue;
    }
    progress("merge " + unit.name);
    if (!merged.module) {
      merged.module = std::make_unique<llvm::Module>("program", context);
      merged.module->setTargetTriple(modules[index]->getTargetTriple());
      merged.module->setDataLayout(modules[index]->getDataLayout());
      linker = std::make_unique<llvm::Linker>(*merged.module);
    }
    const bool failed = linker->linkInModule(std::move(modules[index]));
    CULPRIT_ASSERT(!failed, fmt::format("{} was admitted and then refused: {}", unit.name, errors));
  }
  return merged;
}

}  // namespace culprit
