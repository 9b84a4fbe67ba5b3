// Loops of a flow graph, irreducible ones included.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/flow_graph.h"

namespace culprit::program {

inline constexpr uint32_t kNoLoop = 0xffffffff;

struct Loop {
  uint32_t parent = kNoLoop;      ///< enclosing loop, which has a lower index
  std::vector<uint32_t> headers;  ///< ascending: every block that is entered from outside the loop
  /// A header whose incoming edges alone, when cut, break every cycle through any header (EPID §III-B): counting
  /// arrivals there tells the iterations apart. A natural loop's header always does.
  std::optional<uint32_t> naturalising_header;

  bool is_natural() const { return headers.size() == 1; }
  bool operator==(const Loop&) const = default;
};

/// Parents come before their children.
struct LoopForest {
  std::vector<Loop> loops;
  std::vector<uint32_t> innermost;  ///< per block the innermost loop that holds it, or kNoLoop
};

/// Only what the entry reaches is looked at.
LoopForest loop_forest(const FlowGraph& graph);

}  // namespace culprit::program
