// instrument-module IN PLAN OUT-PREFIX: the whole pipeline on one module, without capture and cache; writes
// OUT-PREFIX.fast.o and, when the plan has observed bodies, OUT-PREFIX.observed.o. With --ir it writes the instrumented
// modules before optimisation instead (.ll). Writes the program model to OUT-PREFIX.model. For trying passes.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

#include "instrument/optimise.h"
#include "instrument/pipeline.h"

namespace {

using namespace culprit;

void write_object(llvm::Module& module, const std::string& path) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  llvm::TargetOptions options;
  options.UseInitArray = true;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", options, llvm::Reloc::PIC_));
  optimise_instrumented(module, *machine, Neighbours::kJoined);
  std::error_code failure;
  llvm::raw_fd_ostream out(path, failure);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(module);
}

void write_ir(const llvm::Module& module, const std::string& path) {
  std::error_code failure;
  llvm::raw_fd_ostream out(path, failure);
  module.print(out, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string prefix = argv[3];
  const bool as_text = argc > 4 && std::string(argv[4]) == "--ir";
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 2;
  }
  const PipelineReport report = instrument_program(module, load_plan(argv[2]), prefix + ".model");
  llvm::errs() << report.functions << " functions, " << report.ticks << " ticks, " << report.counted_loops
               << " counted loops\n";
  for (const FunctionReason& native : report.native_functions) {
    llvm::errs() << "native: " << native.function << ": " << native.reason << "\n";
  }
  for (const FunctionReason& single : report.single_bodies) {
    llvm::errs() << "single body: " << single.function << ": " << single.reason << "\n";
  }
  if (as_text) {
    write_ir(*module, prefix + ".fast.ll");
    if (report.observed_half) write_ir(*report.observed_half, prefix + ".observed.ll");
    return 0;
  }
  write_object(*module, prefix + ".fast.o");
  if (report.observed_half) write_object(*report.observed_half, prefix + ".observed.o");
  return 0;
}
