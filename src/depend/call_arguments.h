// How arguments come from calls to the bodies that they enter.
#pragma once

#include <cstdint>

#include "depend/activation.h"
#include "depend/definitions.h"
#include "depend/graph_writer.h"
#include "program/program_model.h"

namespace culprit::depend {

class CallArguments {
 public:
  /// All must stay.
  CallArguments(const program::ProgramModel& model, const GraphWriter& writer, Definitions& definitions)
      : model_(model), writer_(writer), definitions_(definitions) {}

  /// What the call that `caller` makes passes to `callee`.
  void pass(const Activation& caller, Activation& callee) const;

  /// At va_start: the memory that a va_list leads to holds the call's variadic arguments.
  void define_variadic(const Activation& activation, uint32_t operation) const;

 private:
  void define_argument(const Activation& activation, uint32_t number, uint64_t address, uint64_t words) const;

  const program::ProgramModel& model_;
  const GraphWriter& writer_;
  Definitions& definitions_;
};

}  // namespace culprit::depend
