// What a traced run's operations yielded, as far as its trace holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/node.h"
#include "trace/trace_file.h"

namespace culprit {

/// Of some block executions, from one walk over a trace with values: what stores stored, what calls of native functions
/// returned, and to which block branches went.
class RunValues {
 public:
  /// `wanted`: by execution number. Throws CorruptData.
  RunValues(const trace::TraceFile& trace, const std::vector<bool>& wanted);

  /// Nothing for operations of other kinds and executions that were not wanted.
  std::optional<uint64_t> of(depend::Node node) const;

 private:
  struct Known {
    depend::Node node;
    uint64_t value;
  };
  std::vector<Known> known_;  ///< ascending by node
};

}  // namespace culprit
