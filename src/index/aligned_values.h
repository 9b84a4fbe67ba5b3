// What two traced runs stored, and were returned, at corresponding points, read side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "index/execution_difference.h"
#include "index/point_stream.h"
#include "index/union_program.h"
#include "trace/trace_file.h"

namespace culprit {

/// Of pairs of corresponding points (block executions; of two versions of a program, executions of nodes of their
/// union) of one thread of each run. Addresses differ without meaning anything, and are not compared. Memory for the
/// activations that are open, not for the runs.
class AlignedValues {
 public:
  /// Both with values.
  AlignedValues(const trace::TraceFile& left, uint32_t left_thread, const trace::TraceFile& right,
                uint32_t right_thread)
      : walks_{Walk(left, left_thread, nullptr), Walk(right, right_thread, nullptr)} {}
  /// The same of runs of two versions.
  AlignedValues(const trace::TraceFile& left, uint32_t left_thread, const trace::TraceFile& right,
                uint32_t right_thread, const UnionProgram& program)
      : walks_{Walk(left, left_thread, &program.version(true)), Walk(right, right_thread, &program.version(false))} {}

  /// The threads' points with these numbers, from 0, correspond. Later calls have larger numbers. Throws
  /// CorruptData.
  void add_pair(uint64_t left, uint64_t right);
  /// In order of the first instance. To be called once, at the end. Throws CorruptData.
  std::vector<DifferingStatement> finish();

 private:
  static constexpr uint64_t kNoPair = ~uint64_t{0};

  struct Walk {
    Walk(const trace::TraceFile& trace, uint32_t one_thread, const VersionNumbers* numbers)
        : model(&trace.model()), version(numbers), thread(one_thread), stream(trace, numbers) {}
    const program::ProgramModel* model;
    const VersionNumbers* version;  ///< null: of one version
    uint32_t thread;
    PointStream stream;
    uint64_t begun = 0;                                    ///< points
    std::unordered_map<trace::FrameId, uint64_t> pair_of;  ///< of each open frame's point
    bool ended = false;
  };
  /// A pair of which at least one execution goes on.
  struct OpenPair {
    uint64_t left_number;
    bool ended[2] = {false, false};
    std::vector<trace::StoredValue> waiting[2];  ///< for the other execution's; operations as `number_of` has them
  };

  void walk_through(size_t side, uint64_t number, uint64_t pair);
  void take(size_t side, const trace::Step& step, uint64_t number, uint64_t pair);
  void end_execution(size_t side, trace::FrameId frame);
  void arrive(size_t side, trace::FrameId frame, const trace::StoredValue& value);
  /// Equal for operations that correspond.
  uint32_t number_of(size_t side, uint32_t operation) const {
    return walks_[side].version ? walks_[side].version->operation[operation] : operation;
  }
  void compare(const OpenPair& pair, uint32_t number, uint64_t left, uint64_t right);

  Walk walks_[2];
  uint64_t pairs_ = 0;
  std::unordered_map<uint64_t, OpenPair> open_;
  std::vector<DifferingStatement> differing_;
  std::unordered_map<uint32_t, size_t> place_of_;    ///< statement to its place in differing_
  std::unordered_map<uint32_t, uint64_t> compared_;  ///< by statement
};

}  // namespace culprit
