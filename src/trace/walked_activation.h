// Where the walk of a thread stands in one of its activations.
#pragma once

#include <cstdint>
#include <utility>

#include "program/program_model.h"
#include "trace/control_stream.h"

namespace culprit::trace {

enum class Waiting : uint8_t { kNo, kForReturn, kForTail, kForLanding };

struct WalkedActivation {
  FrameId id;
  uint32_t function;
  uint32_t block;
  uint32_t predecessor;
  uint32_t next;                  ///< operation
  uint32_t number;                ///< among those that control can come back into
  uint32_t call = format::kNone;  ///< operation that it waits for
  Waiting waiting = Waiting::kNo;
  bool starts = true;  ///< the block has not run yet

  void go_to(uint32_t to, const program::ProgramModel& model) {
    predecessor = std::exchange(block, to);
    next = model.block(to).first_operation;
    starts = true;
  }

  void begin_run(Step& step) {
    step.kind = StepKind::kRun;
    step.frame = id;
    step.function = function;
    step.block = block;
    step.predecessor = predecessor;
    step.first = next;
    step.starts = std::exchange(starts, false);
  }
};

/// Loops without a branch, and calls that go round without one, have no events: a walk that goes on for so long without
/// taking any is in one.
class SilentWalk {
 public:
  /// Before a run; `taken`: events so far.
  bool is_endless(uint64_t taken) {
    if (taken != taken_ || runs_ > kMost) runs_ = 0;
    taken_ = taken;
    return ++runs_ > kMost;
  }

 private:
  static constexpr uint32_t kMost = 1 << 18;
  uint64_t taken_ = 0;
  uint32_t runs_ = 0;  ///< since then
};

}  // namespace culprit::trace
