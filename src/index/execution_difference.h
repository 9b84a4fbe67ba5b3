// What differs between two executions of a program, or of two versions of one, found by aligning their points (EPID
// §V-C). Of two versions, statements of the left execution are numbers of the left version's model, those of the right
// one of the right one's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "index/flow_tables.h"
#include "index/report_file.h"
#include "index/union_program.h"
#include "program/program_model.h"
#include "trace/trace_file.h"

namespace culprit {

/// Points in a row that only one execution has.
struct LoneRegion {
  bool in_left;
  uint32_t first_statement;
  uint32_t last_statement;
  uint64_t points;
  std::optional<uint32_t> after;  ///< the left statement of the last point before it that both have
  size_t first_point;             ///< its position among the execution's points
};

/// A statement that wrote or branched on different values at aligned points.
struct DifferingStatement {
  uint32_t statement;   ///< of the left execution
  uint64_t instances;   ///< aligned points with different values
  uint64_t of;          ///< aligned points with values
  size_t first_point;   ///< position of the first among the left execution's points
  uint64_t left_value;  ///< there
  uint64_t right_value;
};

struct ExecutionDifference {
  uint64_t aligned = 0;
  uint64_t left_only = 0;
  uint64_t right_only = 0;
  std::vector<LoneRegion> regions;  ///< in order of execution
  /// The left statement of the last point that both have: behind it the executions never meet again. Nothing when they
  /// end together.
  std::optional<uint32_t> last_common;
  LoneRegion tails[2]{};                       ///< behind it, of the right and the left one; `points` may be 0
  std::vector<DifferingStatement> statements;  ///< in order of the first instance
};

/// Reports of kind kPrecise with every statement, by the same executable. Throws CorruptData.
ExecutionDifference compare_executions(const PointReport& left, const PointReport& right,
                                       const program::ProgramModel& model);

/// A thread that was created at the same point of both executions.
struct ThreadDifference {
  uint32_t created_by;  ///< the left statement of the call; program::kNone: the first thread
  uint32_t left_thread;
  uint32_t right_thread;
  ExecutionDifference difference;
};

struct TraceDifference {
  std::vector<ThreadDifference> threads;  ///< the first one first
  /// The calls that created threads of one execution only, of the right and the left one; kNone where it is not known.
  std::vector<uint32_t> alone[2];
};

/// Two traces by one executable, thread by thread; points are beginnings of blocks. Values are compared where both
/// traces have them: those of stores and of calls of native functions, addresses left out. Throws CorruptData.
TraceDifference compare_traces(const trace::TraceFile& left, const trace::TraceFile& right);
/// The same of traces by two versions, of which `program` is the union; points are beginnings of pieces of blocks.
TraceDifference compare_traces(const trace::TraceFile& left, const trace::TraceFile& right,
                               const UnionProgram& program);

}  // namespace culprit
