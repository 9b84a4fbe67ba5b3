// Where bodies execute statements, and the tests that stand there (format/replay_control.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace culprit {

/// Instructions of one statement that follow each other.
struct StatementPiece {
  llvm::Instruction* start;
  uint32_t statement;
  bool begins;  ///< an execution of the statement
};

/// A statement may lie in several pieces, between others or where its block was split; in this order the first is the
/// one that an execution of the block comes to first. What was hoisted out of a loop executes nothing of its own.
std::vector<StatementPiece> statement_pieces(llvm::Function& body);

/// Stops where a session of a replay watches the statement, by a trap: nothing is called, and no register is lost.
/// With `answers` whoever answers the trap leaves in a register what the statement is to do otherwise: the call yields
/// it, a format::StatementAction.
llvm::CallInst* test_statement(llvm::IRBuilderBase& builder, uint32_t statement, bool answers);

}  // namespace culprit
