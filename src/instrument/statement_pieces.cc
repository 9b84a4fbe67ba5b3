#include "instrument/statement_pieces.h"

#include <fmt/format.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <string>

#include "format/replay_control.h"
#include "format/runtime_abi.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"

namespace culprit {

std::vector<StatementPiece> statement_pieces(llvm::Function& body) {
  std::vector<StatementPiece> pieces;
  llvm::DenseSet<uint32_t> begun;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&body)) {
    const llvm::CallInst* tail_call = block->getTerminatingMustTailCall();
    std::optional<uint32_t> current;
    bool after_tail_call = false;
    for (llvm::Instruction& instruction : *block) {
      const std::optional<uint32_t> statement = number_in(instruction, metadata::kStatement);
      const bool fixed =
          llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isEHPad() || after_tail_call;
      after_tail_call = after_tail_call || &instruction == tail_call;
      if (!statement || fixed || statement == current) continue;
      current = statement;
      const bool before_loop = instruction.hasMetadata(metadata::kInternal);
      pieces.push_back({&instruction, *statement, !before_loop && begun.insert(*statement).second});
    }
  }
  return pieces;
}

llvm::CallInst* test_statement(llvm::IRBuilderBase& builder, uint32_t statement, bool answers) {
  const std::string test =
      fmt::format("{}\n\tcmpl $${}, %fs:{}@tpoff+{}\n\tjne 1f\n\tint3\n1:", answers ? format::kClearAction : "",
                  format::kWatchedBase + statement, format::kThreadStateSymbol, offsetof(format::ThreadState, watched));
  auto* type = llvm::FunctionType::get(answers ? builder.getInt32Ty() : builder.getVoidTy(), false);
  const char* clobbers = "~{memory},~{flags},~{dirflag},~{fpsr}";
  const std::string constraints = answers ? fmt::format("={{ax}},{}", clobbers) : clobbers;
  llvm::CallInst* call = builder.CreateCall(type, llvm::InlineAsm::get(type, test, constraints, true));
  call->setDoesNotThrow();
  return call;
}

}  // namespace culprit
