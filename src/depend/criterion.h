// From what a user asks about to the nodes that a slice starts from.
#pragma once

#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "program/source_position.h"

namespace culprit::depend {

/// One execution of a source position.
struct Moment {
  Execution execution;
  std::vector<uint32_t> statements;  ///< of the position, in that execution's block
  uint64_t instance;                 ///< which execution of the position it is, from 1
  uint64_t instances;                ///< how many there are
  /// The position's other blocks that were executed as often: of a statement with parts that others decide on.
  std::vector<uint32_t> other_blocks;
};

/// The position's `#instance`, or its last execution. A line that spreads over several blocks is executed as often as
/// the most executed of them. Throws UserError when it was never executed, or not so often.
Moment find_moment(const DependenceGraph& graph, const program::SourcePosition& position);

/// All values that the statements use or make, of those operations that were executed.
std::vector<Node> values_used(const DependenceGraph& graph, const Moment& moment);

/// The value of a variable at a statement: what the statement writes or reads, else what the variable holds before it;
/// for the last the trace is read again. Throws UserError when the variable is not in reach or nothing has written it.
std::vector<Node> variable_value(const trace::TraceFile& trace, const DependenceGraph& graph, const Moment& moment,
                                 const std::string& name);

/// What wrote the bytes of memory last before the moment. Throws UserError when nothing has.
std::vector<Node> memory_value(const trace::TraceFile& trace, const DependenceGraph& graph, const Moment& moment,
                               uint64_t address, uint64_t bytes);

// The same as numbers: bytes of input stand for themselves, not for the call that read them.
std::vector<NodeNumber> variable_sources(const trace::TraceFile& trace, const DependenceGraph& graph,
                                         const Moment& moment, const std::string& name);
std::vector<NodeNumber> memory_sources(const trace::TraceFile& trace, const DependenceGraph& graph,
                                       const Moment& moment, uint64_t address, uint64_t bytes);

/// What put out the byte at `offset` (from 0) of a stream. Throws UserError when the run put out less, or nobody knows
/// what.
std::vector<Node> output_byte(const DependenceGraph& graph, OutputStream stream, uint64_t offset);

}  // namespace culprit::depend
