// What calls to native code do to definitions and outputs, by the table of external functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "depend/definitions.h"
#include "depend/dependence_graph.h"
#include "program/constant_memory.h"
#include "trace/control_stream.h"

namespace culprit::depend {

class NativeEffects {
 public:
  /// All must stay. `outputs` by OutputStream.
  NativeEffects(const trace::TraceFile& trace, const DependenceGraph& graph, Definitions& definitions,
                std::span<OutputRuns, kOutputStreams> outputs);

  /// Defines what the call wrote, adds to the outputs what it put out, and the nodes that defined what it read to
  /// `sources`. False, and nothing done, when the table does not describe the function.
  bool apply(std::string_view function, const trace::ReturnedCall& returned, Node call, std::vector<Node>& sources);

 private:
  const trace::TraceFile& trace_;
  const DependenceGraph& graph_;
  Definitions& definitions_;
  std::span<OutputRuns, kOutputStreams> outputs_;
  std::optional<program::ConstantMemory> constants_;  ///< for formats; none when the executable is gone
};

}  // namespace culprit::depend
