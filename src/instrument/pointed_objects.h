// Which variable of the user stack a pointer points into, where that is certain: what a function's pointer was made
// from, through the variables that hold it, whatever is added to it on the way (C11 6.5.6: that stays within the
// array).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <optional>

namespace culprit {

struct PointedObject {
  llvm::Instruction* address = nullptr;  ///< metadata::kUserHome
  uint64_t bytes = 0;
  bool operator==(const PointedObject&) const = default;
};

class PointedObjects {
 public:
  /// Of one body whose variables have their places.
  explicit PointedObjects(llvm::Function& body);

  /// The one object that `pointer` was made from; nothing when there are several, or it is not known.
  std::optional<PointedObject> of(llvm::Value* pointer) const;

 private:
  /// No object, one, or any.
  struct Objects {
    std::optional<PointedObject> one;
    bool any = false;
    bool operator==(const Objects&) const = default;
    void add(const Objects& other);
  };
  Objects objects_of(llvm::Value* pointer, unsigned depth) const;
  Objects stored_to(const llvm::Instruction& variable) const;

  llvm::DenseMap<const llvm::Instruction*, Objects> held_;  ///< by variable (metadata::kPrivateHome)
};

}  // namespace culprit
