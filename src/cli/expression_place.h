// Where C expressions of a stopped replay find what they name.
#pragma once

#include "cli/replay_to.h"
#include "cli/symbol_addresses.h"
#include "program/c_expression.h"
#include "session/frames.h"

namespace culprit::cli {

class ExpressionPlace {
 public:
  /// `frame`: the activation, 0 the innermost; where none is active only globals are known. `stopped` must outlive it.
  /// Throws UserError when there is no such activation, or the program was recorded as it is.
  ExpressionPlace(const StoppedReplay& stopped, size_t frame);

  const program::ProgramModel& model() const { return *stopped_.model; }
  program::ObjectLookup lookup() const;
  program::MemoryReader memory() const;

 private:
  std::optional<program::Object> object_named(std::string_view name) const;

  const StoppedReplay& stopped_;
  Frame frame_;
  SymbolAddresses symbols_;
};

}  // namespace culprit::cli
