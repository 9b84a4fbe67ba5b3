#include "build/merge.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Linker/Linker.h>

#include <map>
#include <set>

#include "base/error.h"

namespace culprit {
namespace {

/// Keeps what LLVM says while it links, so that it can become the reason why a unit stays native.
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

bool is_strong_definition(const llvm::GlobalValue& value) {
  return value.hasExternalLinkage() && !value.isDeclarationForLinker() && !value.getName().starts_with("llvm.");
}

/// The module flags that must be equal in all units, as "name=value".
std::map<std::string, std::string> strict_flags(const llvm::Module& module) {
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> entries;
  module.getModuleFlagsMetadata(entries);
  std::map<std::string, std::string> flags;
  for (const auto& entry : entries) {
    if (entry.Behavior != llvm::Module::Error) continue;
    llvm::raw_string_ostream out(flags[entry.Key->getString().str()]);
    entry.Val->printAsOperand(out, &module);
  }
  return flags;
}

/// Decides unit by unit what the merge would refuse.
class Admission {
 public:
  explicit Admission(const CompileJob& job) : job_(job) {}

  /// Why `module` cannot join those admitted before; empty after admitting it.
  std::string refuse_or_admit(size_t unit, const llvm::Module& module) {
    if (triple_.empty()) {
      triple_ = module.getTargetTriple();
      layout_ = module.getDataLayoutStr();
    }
    if (module.getTargetTriple() != triple_)
      return fmt::format("compiled for {}, not for {}", module.getTargetTriple(), triple_);
    if (module.getDataLayoutStr() != layout_) return "compiled with another data layout";
    const auto flags = strict_flags(module);
    for (const auto& [name, value] : flags) {
      const auto known = flags_.find(name);
      if (known != flags_.end() && known->second != value) {
        return fmt::format("compiled with {} {} where other units have {}", name, value, known->second);
      }
    }
    for (const llvm::GlobalValue& value : module.global_values()) {
      if (!is_strong_definition(value)) continue;
      const auto known = defined_.find(value.getName().str());
      if (known != defined_.end() && !job_.allow_multiple_definitions) {
        return fmt::format("defines {} as {} does", value.getName().str(), job_.units[known->second].name);
      }
    }
    flags_.insert(flags.begin(), flags.end());
    for (const llvm::GlobalValue& value : module.global_values()) {
      if (is_strong_definition(value)) defined_.emplace(value.getName().str(), unit);
    }
    return {};
  }

 private:
  const CompileJob& job_;
  std::string triple_;
  std::string layout_;
  std::map<std::string, std::string> flags_;
  std::map<std::string, size_t> defined_;  ///< strong definitions and the unit of each
};

}  // namespace

MergedProgram merge_units(const CompileJob& job, llvm::LLVMContext& context,
                          const std::function<llvm::StringRef(const CompileUnit&)>& bitcode,
                          const std::function<void(const std::string&)>& progress) {
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  context.enableDebugTypeODRUniquing();

  MergedProgram merged;
  Admission admission(job);
  std::unique_ptr<llvm::Linker> linker;
  for (size_t index = 0; index < job.units.size(); ++index) {
    const CompileUnit& unit = job.units[index];
    progress(unit.name);
    auto module = load(unit, bitcode(unit), context);
    if (const std::string reason = admission.refuse_or_admit(index, *module); !reason.empty()) {
      merged.unmerged.push_back({index, reason, std::move(module)});
      continue;
    }
    if (!merged.module) {
      merged.module = std::make_unique<llvm::Module>("program", context);
      merged.module->setTargetTriple(module->getTargetTriple());
      merged.module->setDataLayout(module->getDataLayout());
      linker = std::make_unique<llvm::Linker>(*merged.module);
    }
    const bool failed = linker->linkInModule(std::move(module));
    CULPRIT_ASSERT(!failed, fmt::format("{} was admitted and then refused: {}", unit.name, errors));
  }
  return merged;
}

}  // namespace culprit
