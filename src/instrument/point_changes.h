// Accesses of a thread's point words (format/points_abi.h) in a form that optimisers leave as it is.
//
// As loads and stores, changes on two ways that meet would be made one of a value that depends on the way, or the word
// would be kept in a register from one change to the next; then nobody can tell any more by how much the word is higher
// at a call, and it has to change wherever it did, also where callees were inlined and come to no call (of perl's
// functions, one in five). So a change is a call of assembly with a constant operand. It touches memory that the
// program cannot reach: the optimiser moves the program's own loads and stores across. Lowered when functions have been
// inlined.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <cstdint>

namespace culprit {

// `place`: of the word, as an offset in ThreadPoints.

/// A pointer or a 64-bit number.
llvm::Value* read_point_word(llvm::IRBuilderBase& builder, size_t place, llvm::Type* type);
void add_to_point_word(llvm::IRBuilderBase& builder, size_t place, int64_t amount);
/// To a 64-bit number.
void set_point_word(llvm::IRBuilderBase& builder, size_t place, llvm::Value* value);

/// What takes the place of several instructions.
bool is_point_change(const llvm::Instruction& instruction);

/// Within blocks, changes with nothing between them that looks at the word become one, or none.
void join_point_changes(llvm::Function& function);

/// Makes them loads and stores.
void lower_point_words(llvm::Function& function);

}  // namespace culprit
