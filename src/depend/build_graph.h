// From a trace to its dependences: one forward pass.
#pragma once

#include <functional>

#include "depend/dependence_graph.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// Who wrote what, as known at one moment of the pass: for questions about variables that the statement does not read.
class DefinitionQuery {
 public:
  virtual ~DefinitionQuery() = default;
  /// The nodes that wrote [address, address + bytes) last.
  virtual std::vector<Node> memory(uint64_t address, uint64_t bytes) = 0;
  /// The nodes that wrote the private slot [offset, offset + bytes) of the frame's activation last.
  virtual std::vector<Node> cells(uint32_t frame, uint32_t offset, uint32_t bytes) = 0;
  /// The address of a base of the activation (format::BaseRecord), by its number in the function.
  virtual uint64_t base(uint32_t frame, uint32_t number) = 0;
};

struct BuildOptions {
  /// Called before `at` runs its first operation.
  Execution at = kNoExecution;
  std::function<void(DefinitionQuery&)> ask;
};

/// Throws CorruptData.
DependenceGraph build_graph(const trace::TraceFile& trace, const BuildOptions& options = {});

}  // namespace culprit::depend
