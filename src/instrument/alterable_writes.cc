// No block is split, since the trace's hooks go by blocks: whether a value is replaced is a choice and not a branch.
#include "instrument/alterable_writes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "format/alteration.h"
#include "instrument/alterable_operations.h"
#include "instrument/extract_operations.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/statement_pieces.h"

namespace culprit {
namespace {

/// A store or a return, whose first operand is what it gives.
struct Write {
  llvm::Instruction* instruction;
  uint32_t statement;
};

std::vector<Write> writes_of(llvm::Function& body) {
  std::vector<Write> writes;
  for (llvm::Instruction& instruction : llvm::instructions(body)) {
    if (!valued_word(instruction) || instruction.hasMetadata(metadata::kInternal)) continue;
    if (instruction.hasMetadata(metadata::kForeseen)) continue;
    writes.push_back({&instruction, *number_in(instruction, metadata::kStatement)});
  }
  return writes;
}

void obey(const Write& write, llvm::Value& action) {
  llvm::IRBuilder<> builder(write.instruction);
  llvm::Value* plain = write.instruction->getOperand(0);
  constexpr auto kReplace = static_cast<uint32_t>(format::StatementAction::kReplaceWrite);
  llvm::Value* replaced = builder.CreateICmpEQ(&action, builder.getInt32(kReplace));
  llvm::Value* other = altered_value(builder, *plain->getType());
  write.instruction->setOperand(0, builder.CreateSelect(replaced, other, plain));
}

void let_writes_be_altered(llvm::Function& body) {
  const std::vector<Write> writes = writes_of(body);
  llvm::DenseMap<uint32_t, llvm::CallInst*> tests;
  for (const Write& write : writes) tests.try_emplace(write.statement, nullptr);
  for (const StatementPiece& piece : statement_pieces(body)) {
    if (!piece.begins || !tests.contains(piece.statement)) continue;
    llvm::IRBuilder<> builder(piece.start);
    tests[piece.statement] = test_statement(builder, piece.statement, true);
  }
  const llvm::DominatorTree dominators(body);
  for (const Write& write : writes) {
    llvm::CallInst* test = tests.lookup(write.statement);
    if (test && dominators.dominates(test, write.instruction)) obey(write, *test);
  }
}

}  // namespace

void insert_alterable_writes(llvm::Module& observed_half) {
  for (llvm::Function& function : observed_half) {
    if (is_traced(function) && entry_block_number(function)) let_writes_be_altered(function);
  }
}

}  // namespace culprit
