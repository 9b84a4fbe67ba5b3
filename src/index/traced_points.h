// Precise execution-point ids of a traced run, by which the same points are found that an instrumented run names
// (format/points_abi.h, kPrecise), without building or running it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/point_cursor.h"
#include "trace/control_stream.h"

namespace culprit {

/// One thread's walk, of a trace of all threads; keeps the calls by which activations were entered.
class TracedControl : public ControlSource {
 public:
  TracedControl(const trace::TraceFile& trace, uint32_t thread) : trace_(trace), stream_(trace), thread_(thread) {}
  ControlEvent next() override;

  /// A call that waits for the activation behind it.
  struct Waiting {
    uint32_t operation = format::kNone;  ///< kNone: the thread's start
    uint32_t entries = 0;                ///< of its callees from outside: by pointers, by libraries
  };
  /// One more than activations; the last is not waiting.
  const std::vector<Waiting>& waiting() const { return waiting_; }

 private:
  void enter(const trace::Step& step);
  bool returns_twice(uint32_t operation) const;

  const trace::TraceFile& trace_;
  trace::ControlStream stream_;
  uint32_t thread_;
  std::vector<Waiting> waiting_{Waiting{}};
};

class TracedPoints {
 public:
  explicit TracedPoints(const trace::TraceFile& trace, uint32_t thread = 0)
      : model_(trace.model()), tables_(model_), control_(trace, thread), cursor_(control_, tables_, false) {}

  /// Goes to the next block that begins; false at the end. Throws CorruptData.
  bool advance() { return cursor_.advance(); }
  uint32_t block() const { return cursor_.block(); }
  /// The words of the id of a statement of this block.
  std::vector<uint64_t> words_at(uint32_t statement) const;

 private:
  const program::ProgramModel& model_;
  FlowTables tables_;
  TracedControl control_;
  PointCursor cursor_;
};

/// Which execution of its statement a precise id names.
struct StatementInstance {
  uint32_t statement;
  uint64_t number;  ///< from 1, among those of the thread
};
/// Nothing when the thread does not pass the point.
std::optional<StatementInstance> find_point(const trace::TraceFile& trace, std::span<const uint64_t> words);

}  // namespace culprit
