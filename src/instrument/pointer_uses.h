// What becomes of a variable's address: followed through local pointers and into called functions.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>

#include <cstdint>

namespace llvm {
class AllocaInst;
class Argument;
class Function;
class Module;
class Value;
}  // namespace llvm

namespace culprit {

/// All that is done with a pointer and with pointers made from it, as offsets from the pointer.
struct PointerUse {
  bool contained = true;  ///< only accessed at constant offsets, compared for equality, passed on and returned
  bool passed = false;    ///< kept in a local pointer, merged with other pointers or handed to another function
  int64_t low = 0;        ///< bytes [low, high) may be accessed
  int64_t high = 0;
  bool returned = false;  ///< the function returns pointer + returned_offset
  int64_t returned_offset = 0;

  bool operator==(const PointerUse&) const = default;
};

/// The uses of every pointer argument of a module's functions, found together because functions call each other:
/// starting from "nothing is done with it", each function is looked at again when one that it calls turns out to do
/// more.
class PointerUses {
 public:
  explicit PointerUses(const llvm::Module& module);

  PointerUse of(const llvm::AllocaInst& variable) const;

 private:
  class Walk;
  PointerUse walk(const llvm::Value& root, llvm::SmallSetVector<const llvm::Argument*, 8>* asked) const;
  const PointerUse* of_argument(const llvm::Function& callee, unsigned argument) const;

  llvm::DenseMap<const llvm::Argument*, PointerUse> arguments_;
};

}  // namespace culprit
