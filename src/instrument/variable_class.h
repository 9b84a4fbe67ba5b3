// Which variables' addresses the program can see.
#pragma once

#include <cstdint>

namespace llvm {
class AllocaInst;
}

namespace culprit {

class PointerUses;

enum class VariableClass : uint8_t {
  kRegister,   ///< only accessed at constant places inside it: SROA takes it apart into registers
  kInvisible,  ///< its address is handed to functions or kept in local pointers, but only to access it: a register
               ///< after inlining
  kVisible,    ///< the program could tell its address, or reach its neighbours from it
};

VariableClass classify(const llvm::AllocaInst& variable, const PointerUses& uses);

/// Bytes that a variable with a fixed size occupies.
uint64_t fixed_bytes(const llvm::AllocaInst& variable);

}  // namespace culprit
