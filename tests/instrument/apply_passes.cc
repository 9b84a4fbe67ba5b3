// apply-passes IN OUT [STEP...]: runs the passes that give all bodies one meaning on a module and verifies it after
// each. With `homes` every private variable goes to the private stack, as in a body with homes. For tests, which
// compile and run OUT.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <map>
#include <string>

#include "format/runtime_abi.h"
#include "instrument/describe_variables.h"
#include "instrument/invariant_loads.h"
#include "instrument/lower_indirect_branches.h"
#include "instrument/merge_globals.h"
#include "instrument/native_functions.h"
#include "instrument/normalise.h"
#include "instrument/optimise.h"
#include "instrument/place_variables.h"
#include "instrument/split_coroutines.h"
#include "instrument/thread_state.h"
#include "instrument/widen_indices.h"

namespace {

using namespace culprit;

// Stands in for the slow path of a tick: functions that others may enter give a new thread its stacks.
void attach_threads(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee attach = module.getOrInsertFunction("culprit_stacks_attach", llvm::Type::getVoidTy(context),
                                                           llvm::PointerType::get(context, 0));
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    if (function.hasLocalLinkage() && !function.hasAddressTaken()) continue;
    llvm::BasicBlock& old_entry = function.getEntryBlock();
    llvm::BasicBlock* body = old_entry.splitBasicBlock(old_entry.getFirstNonPHIOrDbgOrAlloca());
    auto* set_up = llvm::BasicBlock::Create(context, "attach", &function, body);
    old_entry.getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(&old_entry);
    llvm::Value* slot =
        builder.CreateLoad(builder.getPtrTy(), thread_state_member(builder, offsetof(format::ThreadState, user_sp)));
    builder.CreateCondBr(builder.CreateIsNull(slot), set_up, body);
    builder.SetInsertPoint(set_up);
    llvm::CallInst* call = builder.CreateCall(attach, {thread_state_member(builder, 0)});
    if (llvm::DISubprogram* subprogram = function.getSubprogram()) {
      call->setDebugLoc(llvm::DILocation::get(context, subprogram->getLine(), 0, subprogram));
    }
    builder.CreateBr(body);
  }
}

void lower_homes(llvm::Module& module, PrivateHomes which) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) lower_private_homes(function, which);
  }
}

// At -O2 as the instrumented halves are.
void optimise(llvm::Module& module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string complaint;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), complaint);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "x86-64", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  optimise_instrumented(module, *machine, Neighbours::kJoined);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void(llvm::Module&)>> steps = {
      {"widen",
       [](llvm::Module& m) {
         widen_indices(m);
         mark_invariant_loads(m);
       }},
      {"normalise",
       [](llvm::Module& m) {
         normalise(m);
         set_apart_native_functions(m);
       }},
      {"coroutines", [](llvm::Module& m) { split_coroutines(m); }},
      {"branches", [](llvm::Module& m) { lower_indirect_branches(m); }},
      {"globals",
       [](llvm::Module& m) {
         const MergedGlobals merged = merge_globals(m);
         llvm::errs() << "merged " << merged.merged << " + " << merged.merged_thread_local << ", left";
         for (const std::string& name : merged.left) llvm::errs() << " " << name;
         llvm::errs() << "\n";
       }},
      {"variables",
       [](llvm::Module& m) {
         const PlacedVariables placed = place_variables(m);
         llvm::errs() << "user " << placed.on_user_stack << ", invisible " << placed.invisible << ", registers "
                      << placed.in_registers << ", frames " << placed.functions_with_user_frame << "\n";
       }},
      {"hoist",
       [](llvm::Module& m) {
         hoist_invariant_loads(m);
         settle_guarded_loads(m);
       }},
      {"homes", [](llvm::Module& m) { lower_homes(m, PrivateHomes::kAll); }},
      {"traced", [](llvm::Module& m) { lower_homes(m, PrivateHomes::kInMemory); }},
      {"describe",
       [](llvm::Module& m) {
         for (llvm::Function& function : m) describe_variables(function);
       }},
      {"attach", attach_threads},
      {"optimise", optimise},
  };
  if (argc < 3) return 2;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 2;
  }
  std::vector<std::string> wanted(argv + 3, argv + argc);
  if (wanted.empty())
    wanted = {"widen", "normalise", "coroutines", "branches", "globals", "variables", "hoist", "attach"};
  for (const std::string& step : wanted) {
    steps.at(step)(*module);
    if (llvm::verifyModule(*module, &llvm::errs())) {
      llvm::errs() << "broken after " << step << "\n";
      return 1;
    }
  }
  std::error_code error;
  llvm::raw_fd_ostream out(argv[2], error);
  if (error) return 2;
  llvm::WriteBitcodeToFile(*module, out);
  return 0;
}
