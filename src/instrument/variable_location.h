// Where a variable of the source lives, read off its debug record.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Value.h>

#include <cstdint>

#include "format/model_format.h"

namespace culprit {

struct VariableLocation {
  format::HomeKind home = format::HomeKind::kUnknown;
  int64_t offset = 0;  ///< by home, as in format::VariableRecord
};

/// `place` and `expression` are a debug record's. `declares`: the record gives the variable's address, not its value.
VariableLocation variable_location(const llvm::Value* place, const llvm::DIExpression* expression, bool declares);

/// The fixed offset that a global variable's expression adds to its symbol.
int64_t global_offset(const llvm::DIExpression* expression);

}  // namespace culprit
