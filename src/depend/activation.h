// What the pass over a trace knows of an activation that has not ended (build_graph.h).
#pragma once

#include <vector>

#include "depend/node.h"
#include "format/model_format.h"

namespace culprit::depend {

/// A branch whose region is open.
struct OpenBranch {
  Node branch;
  uint32_t post_dominator;
};

/// The bytes of an argument that is passed by value in memory.
struct PassedMemory {
  uint32_t argument;
  std::vector<uint64_t> definitions;
};

/// What a call that may return twice found at its first return.
struct FirstReturn {
  uint32_t call;
  Execution execution;
  std::vector<OpenBranch> open;
};

struct Activation {
  uint32_t frame = 0;
  uint32_t function = format::kNone;
  uint32_t first_cell = 0;
  uint32_t first_base = 0;
  Execution current = kNoExecution;  ///< of its latest block
  uint32_t call = format::kNone;     ///< operation that it is calling
  Node entered_by = kNoNode;
  Node resumed_by = kNoNode;  ///< what made control come back here, for the next block
  bool by_native = false;
  std::vector<Node> arguments;
  std::vector<Execution> exports;
  std::vector<uint64_t> cells;
  std::vector<uint64_t> bases;
  std::vector<OpenBranch> open;
  std::vector<PassedMemory> passed;
  std::vector<FirstReturn> first_returns;
};

}  // namespace culprit::depend
