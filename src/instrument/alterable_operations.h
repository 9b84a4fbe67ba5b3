// What an altered run can leave out or replace in a statement (format/alteration.h): writes, calls, reads and results.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instruction.h>

namespace culprit {

/// Whether the instruction's effect can be left out or its value replaced.
bool is_alterable(const llvm::Instruction& instruction);

/// Makes an alterable instruction do what `action` says, an i32 that holds a format::StatementAction and is available
/// where the instruction stands. Splits its block.
void obey_action(llvm::Instruction& instruction, llvm::Value& action);

/// The value that the thread is to write or yield instead (ThreadState::altered_value), cut to a type's size; zero for
/// types that do not fit in it.
llvm::Value* altered_value(llvm::IRBuilderBase& builder, llvm::Type& type);

}  // namespace culprit
