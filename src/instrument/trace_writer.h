// Code that appends to the thread's trace buffer.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>

#include "instrument/trace_scopes.h"

namespace culprit {

/// Writes events of one body. The position in the buffer is kept in a variable of the body, a register after
/// optimisation, and handed over wherever other code writes events: the thread's state holds it during calls.
class TraceWriter {
 public:
  /// `in_register`: worth it where the body writes in loops.
  TraceWriter(llvm::Function& body, bool in_register);

  void write_byte(llvm::IRBuilderBase& builder, llvm::Value* byte);
  void write_event(llvm::IRBuilderBase& builder, uint8_t event, std::initializer_list<llvm::Value*> numbers);
  /// An address, against the last one of its site.
  void write_address(llvm::IRBuilderBase& builder, llvm::Value* address, uint32_t site);
  /// A number, pointer, float or double of up to 64 bits.
  void write_value(llvm::IRBuilderBase& builder, llvm::Value* value);
  /// Empties the buffer when it is nearly full; splits the block. `full`: makes the call that does it, of which it
  /// returns the new position; null: nobody need know where that was.
  using Full = std::function<llvm::Value*(llvm::IRBuilderBase& builder, llvm::Value* position)>;
  void check_room(llvm::Instruction& before, const Full& full = {});

  /// The last instruction of the preparation in the entry block, or null.
  llvm::Instruction* prepared() const { return prepared_; }

  /// Once all is written: the program's accesses do not touch where the writer keeps its own state.
  void separate(llvm::Function& body) { scopes_.separate(body); }

  // Around code that writes events itself.
  void hand_over(llvm::IRBuilderBase& builder);
  void take_back(llvm::IRBuilderBase& builder);

 private:
  void write(llvm::StoreInst* part) const { scopes_.mark(*part, TraceScope::kEvents); }
  /// `word` in the bytes that are next: as a byte when `delta` from what the reader knows is small.
  void write_word(llvm::IRBuilderBase& builder, llvm::Value* word, llvm::Value* delta);
  llvm::Value* position(llvm::IRBuilderBase& builder);
  void set_position(llvm::IRBuilderBase& builder, llvm::Value* position);
  llvm::Value* advanced(llvm::IRBuilderBase& builder, llvm::Value* position, uint64_t bytes);

  /// A member of the thread's state that stays the same as long as the thread lives.
  llvm::Value* constant_member(llvm::IRBuilderBase& builder, size_t offset);

  llvm::Module& module_;
  TraceScopes scopes_;
  llvm::AllocaInst* variable_ = nullptr;
  llvm::Instruction* prepared_ = nullptr;
};

}  // namespace culprit
