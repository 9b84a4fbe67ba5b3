// Precise execution-point ids of a traced run, by which the same points are found that an instrumented run names
// (format/points_abi.h, kPrecise), without building or running it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/points_abi.h"
#include "index/point_cursor.h"
#include "index/point_stream.h"
#include "index/union_program.h"

namespace culprit {

/// One thread's walk, of a trace of all threads; keeps the calls by which activations were entered. With the numbers of
/// a version, a walk through the union: what begins are pieces of blocks.
class TracedControl : public ControlSource {
 public:
  TracedControl(const trace::TraceFile& trace, uint32_t thread, const VersionNumbers* version = nullptr)
      : trace_(trace), version_(version), stream_(trace, version), thread_(thread) {}
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
  uint32_t number_of(uint32_t operation) const;

  const trace::TraceFile& trace_;
  const VersionNumbers* version_;
  PointStream stream_;
  uint32_t thread_;
  std::vector<Waiting> waiting_{Waiting{}};
};

class TracedPoints {
 public:
  explicit TracedPoints(const trace::TraceFile& trace, uint32_t thread = 0)
      : model_(trace.model()),
        own_tables_(model_),
        tables_(*own_tables_),
        control_(trace, thread),
        cursor_(control_, tables_, false) {}
  /// The same of the union of two versions, of which the trace is by the left or the right one.
  TracedPoints(const trace::TraceFile& trace, uint32_t thread, const UnionProgram& program, bool is_left)
      : model_(trace.model()),
        version_(&program.version(is_left)),
        tables_(program.tables()),
        control_(trace, thread, version_),
        cursor_(control_, tables_, false) {}

  /// Goes to the next block that begins; false at the end. Throws CorruptData.
  bool advance() { return cursor_.advance(); }
  uint32_t block() const { return cursor_.block(); }
  /// The words of the id of a statement of this block.
  std::vector<uint64_t> words_at(uint32_t statement) const { return words_with(format::statement_site(statement)); }
  /// The words of the id of an operation of this block, with the union's operations in place of statements if this is a
  /// walk through a union: equal where points of both versions correspond.
  std::vector<uint64_t> words_of_operation(uint32_t operation) const { return words_with(site_of(operation)); }

 private:
  std::vector<uint64_t> words_with(uint32_t site) const;
  uint32_t site_of(uint32_t operation) const {
    return format::statement_site(version_ ? version_->operation[operation] : model_.operation(operation).statement);
  }

  const program::ProgramModel& model_;
  const VersionNumbers* version_ = nullptr;
  std::optional<FlowTables> own_tables_;
  const FlowTables& tables_;
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
