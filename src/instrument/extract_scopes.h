// Files and scopes of debug information as records of the program model.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <cstdint>
#include <map>
#include <utility>

#include "program/model_sections.h"

namespace culprit {

class ScopeTable {
 public:
  ScopeTable(program::ModelTables& tables, program::StringTable& strings) : tables_(tables), strings_(strings) {}

  uint32_t file(const llvm::DIFile* file);
  /// Starts a function, whose own scope becomes the first; `subprogram` may be null.
  void enter_function(const llvm::DISubprogram* subprogram);
  /// The scope of the function last entered; what is not its own or null counts as the function's own scope.
  uint32_t scope(const llvm::DILocalScope* scope, const llvm::DILocation* inlined_at);
  uint32_t scope(const llvm::DILocation* position);
  /// The scope of a static local variable in any function entered so far; the function's own or kNone when no statement
  /// is in it.
  uint32_t scope_of_static(const llvm::DILocalScope* scope) const;

 private:
  uint32_t add(uint32_t parent, const llvm::DIFile* in, uint32_t line, uint32_t column, format::ScopeKind kind);

  program::ModelTables& tables_;
  program::StringTable& strings_;
  const llvm::DISubprogram* function_ = nullptr;
  uint32_t own_scope_ = format::kNone;
  std::map<std::pair<const llvm::DILocalScope*, const llvm::DILocation*>, uint32_t> known_;
  std::map<const llvm::DILocalScope*, uint32_t> not_inlined_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> files_;  ///< by directory and name
};

}  // namespace culprit
