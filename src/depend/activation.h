// What the pass over a trace knows of an activation that has not ended (build_graph.h).
#pragma once

#include <vector>

#include "depend/graph_writer.h"
#include "depend/node.h"
#include "format/model_format.h"

namespace culprit::depend {

/// A branch whose region is open.
struct OpenBranch {
  NodeNumber branch;
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
  uint32_t block;
  std::vector<std::vector<NodeNumber>> slots;
  std::vector<OpenBranch> open;
};

/// Of a variable that nothing was written to, what an activation holds: the value of an operation of the block that it
/// is in, or an argument.
struct UnwrittenValue {
  uint32_t of;        ///< operation, or the argument's number
  uint64_t variable;  ///< as of definition::unwritten
};

struct Activation {
  uint32_t frame = 0;
  uint32_t function = format::kNone;
  uint32_t first_cell = 0;
  uint32_t first_base = 0;
  OpenExecution current;
  uint32_t call = format::kNone;  ///< operation that it is calling
  NodeNumber entered_by = kNoNumber;
  NodeNumber came_by = kNoNumber;  ///< what decided that the current block came after its predecessor
  bool by_native = false;
  bool called_body = false;  ///< the operation that it is calling has entered one
  std::vector<UnwrittenValue> unwritten, unwritten_arguments;
  uint32_t called_by = format::kNone;  ///< the operation that passed `arguments`
  std::vector<NodeNumber> arguments;
  std::vector<uint64_t> exports;  ///< first numbers of the latest executions whose values others use
  std::vector<uint64_t> cells;
  std::vector<uint64_t> bases;
  std::vector<OpenBranch> open;
  std::vector<PassedMemory> passed;
  std::vector<FirstReturn> first_returns;
};

}  // namespace culprit::depend
