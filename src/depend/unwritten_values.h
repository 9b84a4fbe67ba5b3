// Reads of variables that were never given a value. Reading one is no mistake by itself: a structure is copied as a
// whole of which parts hold nothing, a value is handed on that nobody looks at. So what such a read yields is followed
// through copies, arguments and returns, as far as nothing is made of it: the read counts at which the value is an
// operand of a computation, decides something, is an address, or is given to native code (as by Memcheck: Seward,
// Nethercote, USENIX 2005, though not bit by bit). A read counts only when all its bytes were never written: padding is
// read along with what lies around it, and so is a union.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "depend/activation.h"
#include "format/graph_format.h"
#include "program/program_model.h"

namespace culprit::depend {

class UnwrittenValues {
 public:
  explicit UnwrittenValues(const program::ProgramModel& model);

  /// The variable to which an operation of its function gives the pattern that private ones begin with; kNone where the
  /// compiler made it.
  uint32_t variable_begun_by(uint32_t operation, uint32_t function);
  /// An operation of the activation's current block, with the number `node`, yields a value of `variable`
  /// (definition::unwritten).
  void yield(Activation& activation, uint32_t operation, NodeNumber node, uint64_t variable);
  /// The variable whose value an operand is, unchanged.
  std::optional<uint64_t> value_of(const Activation& activation, uint32_t operand) const;
  void pass(const Activation& caller, Activation& callee) const;

  /// In order of time.
  std::span<const format::GraphUnwritten> reads();

 private:
  bool makes_something_of(uint32_t consumer, uint32_t operand) const;

  const program::ProgramModel& model_;
  std::vector<bool> is_used_;                      ///< by operation: something is made of its value
  std::vector<uint32_t> block_of_;                 ///< by operation
  std::vector<std::optional<uint32_t>> begun_by_;  ///< by operation that begins one, the variable, once asked for
  std::vector<format::GraphUnwritten> reads_;
};

}  // namespace culprit::depend
