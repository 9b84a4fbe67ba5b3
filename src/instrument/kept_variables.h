// Variables whose values the reader of a trace knows at every moment, so that addresses computed from them need not be
// recorded: pointers and counters that are registers in traced bodies.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace culprit {

/// base + index * scale + offset.
struct IndexedAddress {
  const llvm::AllocaInst* pointer = nullptr;  ///< the base is this variable's value; null: it is `place`
  llvm::Value* place = nullptr;
  int64_t offset = 0;
  const llvm::AllocaInst* index = nullptr;  ///< a variable, or null; it counts with `addend`, in its own width
  int64_t scale = 0;
  int64_t addend = 0;
  bool zero_extended = false;
};

/// What a store to a variable makes of it: another variable's value (null: of nothing) plus a constant.
struct VariableMove {
  const llvm::AllocaInst* from = nullptr;
  int64_t distance = 0;
};

class KeptVariables {
 public:
  /// `is_place`: whether the reader knows where something lies. Keeps those variables of which more addresses are
  /// computed, by depth of loops, than values stored that have to be recorded.
  KeptVariables(llvm::Function& function, std::function<bool(const llvm::Value*)> is_place);

  /// In the order of their declarations.
  const std::vector<const llvm::AllocaInst*>& variables() const { return kept_; }
  bool keeps(const llvm::AllocaInst* variable) const;

  /// An address that `at` uses, if it is computed from kept variables.
  std::optional<IndexedAddress> address(llvm::Value* address, const llvm::Instruction& at) const;
  /// The kept variable that an instruction stores to, or null.
  const llvm::AllocaInst* stored(const llvm::Instruction& instruction) const;
  /// Of a store to a kept variable; nothing when the value has to be recorded.
  std::optional<VariableMove> move(const llvm::StoreInst& store) const;

 private:
  struct Use {
    IndexedAddress address;
    uint64_t weight;
  };

  void find_candidates(llvm::Function& function);
  void choose(llvm::Function& function);
  bool drop_those_not_worth_it(const std::vector<Use>& uses,
                               const std::vector<std::pair<const llvm::StoreInst*, uint64_t>>& stores);
  const llvm::AllocaInst* loaded(const llvm::Value* value, const llvm::Instruction& at) const;
  bool set_index(const llvm::Value* value, int64_t scale, const llvm::Instruction& at, IndexedAddress& into) const;

  const llvm::DataLayout& layout_;
  std::function<bool(const llvm::Value*)> is_place_;
  std::vector<const llvm::AllocaInst*> kept_;
};

}  // namespace culprit
