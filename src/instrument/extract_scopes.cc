#include "instrument/extract_scopes.h"

#include <limits>

namespace culprit {
namespace {

std::string_view view(llvm::StringRef text) {
  return {text.data(), text.size()};
}

uint16_t narrow_column(uint32_t column) {
  return column > std::numeric_limits<uint16_t>::max() ? 0 : static_cast<uint16_t>(column);
}

}  // namespace

uint32_t ScopeTable::file(const llvm::DIFile* file) {
  if (!file) return format::kNone;
  const format::FileRecord record{strings_.add(view(file->getDirectory())), strings_.add(view(file->getFilename()))};
  const auto [at, is_new] =
      files_.emplace(std::pair(record.directory, record.name), static_cast<uint32_t>(tables_.files.size()));
  if (is_new) tables_.files.push_back(record);
  return at->second;
}

uint32_t ScopeTable::add(uint32_t parent, const llvm::DIFile* in, uint32_t line, uint32_t column,
                         format::ScopeKind kind) {
  tables_.scopes.push_back({.parent = parent,
                            .file = file(in),
                            .line = line,
                            .column = narrow_column(column),
                            .kind = kind,
                            .reserved = 0,
                            .name = 0});
  return static_cast<uint32_t>(tables_.scopes.size()) - 1;
}

void ScopeTable::enter_function(const llvm::DISubprogram* subprogram) {
  function_ = subprogram;
  known_.clear();
  own_scope_ = subprogram
                   ? add(format::kNone, subprogram->getFile(), subprogram->getLine(), 0, format::ScopeKind::kFunction)
                   : add(format::kNone, nullptr, 0, 0, format::ScopeKind::kFunction);
  if (subprogram) {
    known_.emplace(std::pair(subprogram, nullptr), own_scope_);
    not_inlined_.emplace(subprogram, own_scope_);
  }
}

uint32_t ScopeTable::scope(const llvm::DILocation* position) {
  return position ? scope(position->getScope(), position->getInlinedAt()) : own_scope_;
}

uint32_t ScopeTable::scope(const llvm::DILocalScope* scope, const llvm::DILocation* inlined_at) {
  if (!scope) return own_scope_;
  if (const auto known = known_.find({scope, inlined_at}); known != known_.end()) return known->second;
  uint32_t index = own_scope_;
  if (const auto* subprogram = llvm::dyn_cast<llvm::DISubprogram>(scope)) {
    if (inlined_at) {
      const uint32_t around = this->scope(inlined_at);
      const uint32_t call = add(around, inlined_at->getFile(), inlined_at->getLine(), inlined_at->getColumn(),
                                format::ScopeKind::kInlinedCall);
      index = add(call, subprogram->getFile(), subprogram->getLine(), 0, format::ScopeKind::kInlinedFunction);
      tables_.scopes.back().name = strings_.add(view(subprogram->getName()));
    }
  } else {
    const auto* block = llvm::cast<llvm::DILexicalBlockBase>(scope);
    const uint32_t parent = this->scope(llvm::cast<llvm::DILocalScope>(block->getScope()), inlined_at);
    const auto* braces = llvm::dyn_cast<llvm::DILexicalBlock>(block);
    // Others only hold discriminators, or the file that was included into a function's body.
    if (braces) {
      index = add(parent, block->getFile(), braces->getLine(), braces->getColumn(), format::ScopeKind::kBlock);
    } else if (file(block->getFile()) != tables_.scopes[parent].file) {
      index = add(parent, block->getFile(), 0, 0, format::ScopeKind::kBlock);
    } else {
      index = parent;
    }
  }
  known_.emplace(std::pair(scope, inlined_at), index);
  if (!inlined_at) not_inlined_.emplace(scope, index);
  return index;
}

uint32_t ScopeTable::scope_of_static(const llvm::DILocalScope* scope) const {
  while (scope) {
    if (const auto known = not_inlined_.find(scope); known != not_inlined_.end()) return known->second;
    scope = llvm::dyn_cast_or_null<llvm::DILocalScope>(scope->getScope());
  }
  return format::kNone;
}

}  // namespace culprit
