// Debug information's types as records of the program model, each distinct type once.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/model_sections.h"

namespace culprit {

class TypeTable {
 public:
  TypeTable(program::ModelTables& tables, program::StringTable& strings) : tables_(tables), strings_(strings) {}

  /// The type's index; null (void) is kNone. Members are filled in by `finish`.
  uint32_t add(const llvm::DIType* type);
  /// Adds the members and the types that they need, and puts definitions in place of declarations. Call once, at the
  /// end.
  void finish();
  /// The new number of a type that `add` returned, after `finish`.
  uint32_t final_index(uint32_t type) const;

 private:
  uint32_t add_uncached(const llvm::DIType* type);
  uint32_t add_derived(const llvm::DIDerivedType* type);
  uint32_t add_composite(const llvm::DICompositeType* type);
  uint32_t add_array(const llvm::DICompositeType* type);
  uint32_t add_function(const llvm::DISubroutineType* type);
  uint32_t add_record(const std::string& key, const format::TypeRecord& record, const llvm::DIType* members_of);
  void add_members(const llvm::DIType* type);
  void add_member(const llvm::DIDerivedType* member);

  program::ModelTables& tables_;
  program::StringTable& strings_;
  std::unordered_map<const llvm::DIType*, uint32_t> known_;
  std::unordered_map<std::string, uint32_t> by_key_;
  std::unordered_map<std::string, uint32_t> definitions_;       ///< by tag and name
  std::vector<std::pair<uint32_t, std::string>> declarations_;  ///< type, key in definitions_
  std::vector<const llvm::DIType*> members_of_;                 ///< per type what its members come from, or null
  std::unordered_map<uint32_t, uint32_t> defined_by_;           ///< declaration's type to definition's
};

/// The namespaces and classes around something, "a::b", or "".
std::string qualifier_of(const llvm::DIScope* scope);

}  // namespace culprit
