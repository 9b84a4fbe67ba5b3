// What two traced runs stored, and were returned, at corresponding points, read side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "index/execution_difference.h"
#include "trace/control_stream.h"
#include "trace/trace_file.h"

namespace culprit {

/// Of pairs of corresponding block executions of one thread of each run. Addresses differ without meaning anything, and are not
/// compared. Memory for the activations that are open, not for the runs.
class AlignedValues {
 public:
  /// Both with values.
  AlignedValues(const trace::TraceFile& left, uint32_t left_thread, const trace::TraceFile& right, uint32_t right_thread)
      : walks_{Walk(left, left_thread), Walk(right, right_thread)} {}

  /// The threads' block executions with these numbers, from 0, correspond. Later calls have larger numbers. Throws
  /// CorruptData.
  void add_pair(uint64_t left, uint64_t right);
  /// In order of the first instance. To be called once, at the end. Throws CorruptData.
  std::vector<DifferingStatement> finish();

 private:
  static constexpr uint64_t kNoPair = ~uint64_t{0};

  struct Walk {
    Walk(const trace::TraceFile& trace, uint32_t one_thread) : model(&trace.model()), thread(one_thread), stream(trace) {}
    const program::ProgramModel* model;
    uint32_t thread;
    trace::ControlStream stream;
    uint64_t begun = 0;                                    ///< block executions
    std::unordered_map<trace::FrameId, uint64_t> pair_of;  ///< of each open frame's block execution
    bool ended = false;
  };
  /// A pair of which at least one execution goes on.
  struct OpenPair {
    uint64_t left_number;
    bool ended[2] = {false, false};
    std::vector<trace::StoredValue> waiting[2];  ///< for the other execution's
  };

  void walk_through(size_t side, uint64_t number, uint64_t pair);
  void take(size_t side, const trace::Step& step, uint64_t number, uint64_t pair);
  void end_execution(size_t side, trace::FrameId frame);
  void arrive(size_t side, trace::FrameId frame, const trace::StoredValue& value);
  void compare(const OpenPair& pair, uint32_t operation, uint64_t left, uint64_t right);

  Walk walks_[2];
  uint64_t pairs_ = 0;
  std::unordered_map<uint64_t, OpenPair> open_;
  std::vector<DifferingStatement> differing_;
  std::unordered_map<uint32_t, size_t> place_of_;         ///< statement to its place in differing_
  std::unordered_map<uint32_t, uint64_t> compared_;       ///< by statement
};

}  // namespace culprit
