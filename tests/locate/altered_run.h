// A recorded run with one value altered: how it ends, and its trace, for tests of slices.
#pragma once

#include <filesystem>
#include <optional>

#include "base/temporary_directory.h"
#include "depend/dependence_graph.h"
#include "recording/recording.h"
#include "session/session.h"
#include "trace/trace_file.h"

namespace culprit {

/// Of the plan by which runs are altered and traced: values, alterable, with fast bodies.
struct TracedExecutable {
  std::filesystem::path executable, model;
};

/// A trace with values, and its dependences; both are gone with it.
class ValueTrace {
 public:
  /// Replays the recording, with the alteration if there is one, and at most so many ticks. Throws UserError.
  ValueTrace(const recording::Recording& recording, const TracedExecutable& program, const Alteration* alteration,
             uint64_t tick_limit);

  const Outcome& outcome() const { return outcome_; }
  const trace::TraceFile& trace() const { return *trace_; }
  const depend::DependenceGraph& graph() const { return *graph_; }

 private:
  TemporaryDirectory folder_;
  Outcome outcome_;
  std::optional<trace::TraceFile> trace_;
  std::optional<depend::DependenceGraph> graph_;
};

/// Whether two altered runs ended alike and put out the same.
bool same_end(const Outcome& one, const Outcome& other);

}  // namespace culprit
