// The steps of a traced run from point to point: from block to block, or, of one of two versions, from node to node of
// their union.
#pragma once

#include <cstdint>
#include <span>

#include "index/union_program.h"
#include "trace/control_stream.h"

namespace culprit {

/// What a trace::ControlStream gives; with the numbers of a version, runs come piece by piece, and `block` of a run is
/// the piece's node. Operations, functions and predecessors stay those of the trace's own program.
class PointStream {
 public:
  PointStream(const trace::TraceFile& trace, const VersionNumbers* version) : stream_(trace), version_(version) {}

  /// The next step; kEnd for ever at the end. Throws CorruptData when trace and program do not agree.
  const trace::Step& next();
  /// As those of ControlStream, of this step alone.
  std::span<const trace::StoredValue> values() const;

 private:
  void begin_run(const trace::Step& run);
  const trace::Step& next_piece();

  trace::ControlStream stream_;
  const VersionNumbers* version_;
  trace::Step piece_step_;  ///< the piece that is executed now
  bool in_run_ = false;     ///< piece_step_ is the last step
  uint32_t piece_ = 0;      ///< the next one of the run
  uint32_t run_first_ = 0, run_end_ = 0;
  bool run_starts_ = false;
  bool run_cut_ = false;
  uint32_t block_ = 0;
};

}  // namespace culprit
