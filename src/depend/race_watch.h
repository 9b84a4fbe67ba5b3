// Feeds what the pass over a trace comes by (build_graph.h) to the search for data races.
#pragma once

#include <vector>

#include "depend/activation.h"
#include "depend/active_operations.h"
#include "depend/definitions.h"
#include "depend/races.h"
#include "program/external_effects.h"
#include "trace/trace_file.h"

namespace culprit::depend {

class RaceWatch {
 public:
  /// Both must stay. Throws CorruptData.
  RaceWatch(const trace::TraceFile& trace, const Definitions& definitions)
      : model_(trace.model()), definitions_(definitions), races_(trace) {}

  /// As of ThreadOrder.
  NodeNumber thread_begins(uint32_t thread, uint64_t handle) { return races_.order().thread_begins(thread, handle); }
  void thread_ends(uint32_t thread) { races_.order().thread_ends(thread); }
  /// An operation of the program is executed as `node`.
  void executed(uint32_t thread, const Activation& activation, const ActiveOperation& operation, NodeNumber node);
  /// The call `operation` to native code came back.
  void returned(uint32_t thread, uint32_t operation, NodeNumber node, const program::CallEffects& effects);

  std::vector<format::GraphRace> found() const { return races_.found(); }

 private:
  const program::ProgramModel& model_;
  const Definitions& definitions_;
  Races races_;
};

}  // namespace culprit::depend
