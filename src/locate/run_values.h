// What a traced run's operations yielded, as far as its trace holds it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "depend/node.h"
#include "trace/trace_file.h"

namespace culprit {

/// Walks a trace with values: what stores stored, returns returned and calls of native functions yielded, and to which
/// block branches went. In order of time but for the latter. Throws CorruptData.
void visit_values(const trace::TraceFile& trace, const std::function<void(depend::Node, uint64_t)>& visit);

/// The same of some block executions.
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
