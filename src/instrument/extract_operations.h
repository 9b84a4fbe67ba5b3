// The dependence tables of the program model (format/operation_format.h).
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>
#include <unordered_map>

#include "instrument/kept_variables.h"
#include "program/model_sections.h"

namespace culprit {

/// Whether the function's observed body writes events of a trace. What is not traced is called like a native function.
bool is_traced(const llvm::Function& function);

/// Whether control can come back into an activation by unwinding or by a second return, so that a trace has to number
/// the function's activations.
bool is_resumed(const llvm::Function& function);

/// The private slot of a variable that is a register in traced bodies.
std::optional<uint64_t> register_slot(const llvm::Value* base);

/// What a store of the program stores or a return returns, when a trace can hold it: an integer or pointer of up to 64
/// bits, a float, a double. Null for all else.
llvm::Value* valued_word(const llvm::Instruction& instruction);

/// Fills the operations of functions whose blocks and statements are in `tables` and stamped (model_ids.h); stamps
/// calls with their operation and instructions with the sites of the addresses that a trace records.
class OperationTable {
 public:
  OperationTable(llvm::Module& module, program::ModelTables& tables, program::StringTable& strings);

  void add_function(llvm::Function& function);

 private:
  /// An address as a base and a constant distance.
  struct Place {
    llvm::Value* base;
    int64_t offset;
  };
  struct Recorded {
    uint32_t site;
    int64_t offset;  ///< of the address recorded, from the base
  };
  struct BaseKey {
    const void* value;  ///< base, or the variable that it was loaded from
    int64_t offset;
    uint32_t version;
    auto operator<=>(const BaseKey&) const = default;
  };

  void number_operations(llvm::Function& function);
  void add_operation(llvm::Instruction& instruction);
  void add_operand(const llvm::Value* value, format::OperandRole role, uint32_t from = format::kNone);
  void add_operands(const llvm::Instruction& instruction);
  void add_call_operands(const llvm::CallBase& call);

  // Places in memory, and the addresses that are recorded (extract_accesses.cc).
  void find_cells(llvm::Function& function);
  void add_base(llvm::Instruction& of, const format::BaseRecord& record);
  void find_bases(llvm::Function& function);
  void find_kept(llvm::Function& function);
  void add_accesses(llvm::Instruction& instruction);
  void follow_variable(llvm::Instruction& instruction);
  void forget_after(const llvm::Instruction& instruction);
  uint32_t anchor(const llvm::GlobalVariable& global);
  Place place_of(llvm::Value* address) const;
  void find_cells_of(const llvm::Instruction& instruction, std::map<uint32_t, uint32_t>& ends);
  bool is_global_place(const llvm::Value* base) const;
  void add_access(llvm::Instruction& instruction, unsigned operand, uint64_t bytes, uint8_t flags,
                  uint16_t argument = 0);
  bool add_indexed(const llvm::Instruction& instruction, unsigned operand, format::AccessRecord& access);
  void add_recorded(llvm::Instruction& instruction, unsigned operand, const Place& place, format::AccessRecord& access);
  void add_length(llvm::Instruction& instruction, unsigned operand);
  void add_variadic_area(llvm::Instruction& instruction, format::PlaceKind area, uint32_t site);
  BaseKey key_of(const Place& place) const;
  uint32_t record_at(llvm::Instruction& instruction, uint32_t operand);

  llvm::Module& module_;
  program::ModelTables& tables_;
  program::StringTable& strings_;
  const llvm::DataLayout& layout_;
  unsigned block_kind_, statement_kind_, operation_kind_, sites_kind_;
  uint32_t next_site_ = 0;
  std::unordered_map<const llvm::GlobalVariable*, uint32_t> anchors_;
  // Of the function being walked:
  uint32_t first_cell_ = 0;
  uint32_t first_base_ = 0;
  std::optional<KeptVariables> kept_;
  bool traced_ = false;
  std::unordered_map<const llvm::Value*, uint32_t> operations_;
  std::unordered_map<const llvm::Value*, uint32_t> bases_;
  std::unordered_map<const llvm::BasicBlock*, uint32_t> blocks_;
  // Of the block being walked:
  std::map<BaseKey, Recorded> recorded_;
  std::map<std::pair<const llvm::Value*, int64_t>, uint32_t> versions_;
};

}  // namespace culprit
