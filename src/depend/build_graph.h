// From a trace to its dependences: one forward pass.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "depend/node.h"
#include "trace/trace_file.h"

namespace culprit::depend {

/// Who wrote what, as known at one moment of the pass: for questions about variables that the statement does not read.
class DefinitionQuery {
 public:
  virtual ~DefinitionQuery() = default;
  /// The nodes that wrote [address, address + bytes) last.
  virtual std::vector<NodeNumber> memory(uint64_t address, uint64_t bytes) = 0;
  /// The nodes that wrote the private slot [offset, offset + bytes) of the frame's activation last.
  virtual std::vector<NodeNumber> cells(uint32_t frame, uint32_t offset, uint32_t bytes) = 0;
  /// The address of a base of the activation (format::BaseRecord), by its number in the function.
  virtual uint64_t base(uint32_t frame, uint32_t number) = 0;
};

/// Writes the graph to `file` (format/graph_format.h). Throws CorruptData, UserError.
void write_graph(const trace::TraceFile& trace, const std::filesystem::path& file);

/// Goes over the trace up to an operation of a block execution and asks before that runs. Throws CorruptData.
void ask_before(const trace::TraceFile& trace, Node node, const std::function<void(DefinitionQuery&)>& ask);

}  // namespace culprit::depend
