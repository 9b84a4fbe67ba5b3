// What calls to native code do to definitions and outputs, by the table of external functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depend/definitions.h"
#include "depend/graph_writer.h"
#include "depend/input_log.h"
#include "depend/output_channels.h"
#include "depend/output_runs.h"
#include "program/constant_memory.h"
#include "program/external_effects.h"
#include "trace/control_stream.h"

namespace culprit::depend {

class NativeEffects {
 public:
  /// All must stay. `outputs`: standard output, standard error.
  NativeEffects(const trace::TraceFile& trace, const GraphWriter& graph, Definitions& definitions,
                std::span<OutputRuns, format::kGraphOutputs> outputs, InputLog& inputs);

  /// Of the operation `call`: defines what it wrote, adds to the outputs what it put out, and the nodes that defined
  /// what it read to `sources`. False, and nothing done, when the table does not describe the function.
  bool apply(std::string_view function, const trace::ReturnedCall& returned, const OpenExecution& at, uint32_t call,
             std::vector<NodeNumber>& sources);
  /// Whether all that the last call wrote is known.
  bool knew_writes() const { return knew_writes_; }
  /// Of the last call.
  const program::CallEffects& effects() const { return effects_; }

 private:
  void follow_blocks();

  const trace::TraceFile& trace_;
  const GraphWriter& graph_;
  Definitions& definitions_;
  std::span<OutputRuns, format::kGraphOutputs> outputs_;
  InputLog& inputs_;
  bool knew_writes_ = false;
  program::CallEffects effects_;
  std::unordered_map<uint64_t, uint64_t> blocks_;     ///< bytes of the heap's blocks, by address
  std::optional<program::ConstantMemory> constants_;  ///< for formats and texts; none when the executable is gone
  std::optional<OutputChannels> channels_;
};

}  // namespace culprit::depend
