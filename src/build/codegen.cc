#include "build/codegen.h"

#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "base/error.h"
#include "instrument/optimise.h"

namespace culprit {

std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module& module, bool position_independent,
                                                    Generation generation) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) {
    throw UserError(fmt::format("the program was compiled for {}: {}", module.getTargetTriple(), error),
                    "compile it for this machine", ExitCode::kEnvironmentLacks);
  }
  llvm::TargetOptions options;
  options.UseInitArray = true;
  options.EmitAddrsig = true;
  const auto relocations = position_independent ? llvm::Reloc::PIC_ : llvm::Reloc::Static;
  const auto level = generation == Generation::kQuick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  // CPU and features are attributes of each function.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(module.getTargetTriple(), "", "", options,
                                                                           relocations, module.getCodeModel(), level));
  CULPRIT_ASSERT(machine, module.getTargetTriple());
  return machine;
}

void optimise_natively(llvm::Module& module, llvm::TargetMachine& machine) {
  run_o2_pipeline(module, machine, llvm::TargetLibraryInfoImpl(machine.getTargetTriple()));
}

void emit_object(llvm::Module& module, llvm::TargetMachine& machine, const std::string& path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error, llvm::sys::fs::OF_None);
  if (error) {
    throw UserError(fmt::format("cannot write {}: {}", path, error.message()),
                    "check the permissions and the free space");
  }
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  const bool impossible =
      machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile, /*DisableVerify=*/true);
  CULPRIT_ASSERT(!impossible, "the target cannot write objects");
  passes.run(module);
  out.flush();
  if (out.has_error()) {
    const std::string reason = out.error().message();
    out.clear_error();
    throw UserError(fmt::format("cannot write {}: {}", path, reason), "check the free space");
  }
}

}  // namespace culprit
