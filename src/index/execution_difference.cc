#include "index/execution_difference.h"

#include <algorithm>
#include <unordered_map>

#include "index/aligned_values.h"
#include "index/alignment.h"
#include "index/id_order.h"
#include "index/thread_origins.h"
#include "index/traced_points.h"

namespace culprit {
namespace {

/// Lone points in a row become regions.
class Regions {
 public:
  explicit Regions(ExecutionDifference& difference) : difference_(difference) {}

  void common(uint32_t statement) {
    ++difference_.aligned;
    last_common_ = statement;
    open_[0] = open_[1] = false;
  }

  void lone(bool in_left, uint32_t statement, size_t at) {
    ++(in_left ? difference_.left_only : difference_.right_only);
    if (!open_[in_left]) {
      open_[in_left] = true;
      last_region_[in_left] = difference_.regions.size();
      difference_.regions.push_back({.in_left = in_left,
                                     .first_statement = statement,
                                     .last_statement = statement,
                                     .points = 0,
                                     .after = last_common_,
                                     .first_point = at});
    }
    LoneRegion& region = difference_.regions[last_region_[in_left]];
    region.last_statement = statement;
    ++region.points;
  }

  void finish() {
    for (const bool in_left : {false, true}) {
      if (open_[in_left]) difference_.tails[in_left] = difference_.regions[last_region_[in_left]];
    }
    if (open_[0] || open_[1]) difference_.last_common = last_common_;
  }

 private:
  ExecutionDifference& difference_;
  std::optional<uint32_t> last_common_;
  bool open_[2] = {false, false};  ///< of the right and the left execution: the last point was a lone one
  size_t last_region_[2] = {0, 0};
};

/// The merge of both reports, which come in the order of their ids.
class Comparison {
 public:
  Comparison(const PointReport& left, const PointReport& right, const program::ProgramModel& model)
      : left_(left.ids), right_(right.ids), model_(model), tables_(model) {}

  ExecutionDifference compare() {
    size_t left_at = 0, right_at = 0;
    PointId left, right;
    if (!left_.empty()) left = id_of(left_[0]);
    if (!right_.empty()) right = id_of(right_[0]);
    while (left_at < left_.size() || right_at < right_.size()) {
      const int order = left_at == left_.size()     ? 1
                        : right_at == right_.size() ? -1
                                                    : compare_ids(left, right, model_, tables_);
      if (order == 0) {
        pair(left_at, right_at);
      } else {
        const size_t at = order < 0 ? left_at : right_at;
        regions_.lone(order < 0, (order < 0 ? left_ : right_)[at].site - 1, at);
      }
      if (order <= 0 && ++left_at < left_.size()) left = id_of(left_[left_at]);
      if (order >= 0 && ++right_at < right_.size()) right = id_of(right_[right_at]);
    }
    std::sort(difference_.statements.begin(), difference_.statements.end(),
              [](const auto& one, const auto& other) { return one.first_point < other.first_point; });
    regions_.finish();
    for (DifferingStatement& each : difference_.statements) each.of = with_values_.at(each.statement);
    return std::move(difference_);
  }

 private:
  PointId id_of(const ReportedId& reported) const {
    return parse_point_id(format::PointKind::kPrecise, reported.words, model_, "report of points");
  }

  void pair(size_t left_at, size_t right_at) {
    const ReportedId& left = left_[left_at];
    const ReportedId& right = right_[right_at];
    const uint32_t statement = left.site - 1;
    regions_.common(statement);
    if (!left.value || !right.value) return;
    ++with_values_[statement];
    if (*left.value == *right.value) return;
    const auto [known, is_new] = differing_.emplace(statement, difference_.statements.size());
    if (is_new) {
      difference_.statements.push_back({.statement = statement,
                                        .instances = 0,
                                        .of = 0,
                                        .first_point = left_at,
                                        .left_value = *left.value,
                                        .right_value = *right.value});
    }
    ++difference_.statements[known->second].instances;
  }

  const std::vector<ReportedId>& left_;
  const std::vector<ReportedId>& right_;
  const program::ProgramModel& model_;
  FlowTables tables_;
  ExecutionDifference difference_;
  Regions regions_{difference_};
  std::unordered_map<uint32_t, size_t> differing_;      ///< statement to its place in difference_.statements
  std::unordered_map<uint32_t, uint64_t> with_values_;  ///< statement to aligned points with values
};

/// One thread of a traced run of one of two versions, or, where `version` is null, of the one program.
struct ComparedThread {
  const trace::TraceFile& trace;
  uint32_t thread;
  const VersionNumbers* version;

  /// Of a block of the walk; kNone where it has none, or, of versions, none with a line.
  uint32_t statement_at(uint32_t block) const {
    if (version) {
      const uint32_t statement = version->node_statement[block];
      return statement == program::kNone || trace.model().statement(statement).line == 0 ? program::kNone : statement;
    }
    const auto statements = trace.model().statements_of(block);
    return statements.empty() ? program::kNone : statements.front();
  }
};

/// `program`: null for two runs of one version.
ExecutionDifference compare_threads(const ComparedThread& left, const ComparedThread& right,
                                    const UnionProgram* program) {
  std::optional<FlowTables> own_tables;
  if (!program) own_tables.emplace(left.trace.model());
  TracedControl left_control(left.trace, left.thread, left.version);
  TracedControl right_control(right.trace, right.thread, right.version);
  Alignment alignment(left_control, right_control, program ? program->tables() : *own_tables, AlignmentKind::kPrecise);
  ExecutionDifference difference;
  Regions regions(difference);
  constexpr auto kValues = format::TraceContents::kValues;
  std::optional<AlignedValues> values;
  if (left.trace.contents() == kValues && right.trace.contents() == kValues) {
    program ? values.emplace(left.trace, left.thread, right.trace, right.thread, *program)
            : values.emplace(left.trace, left.thread, right.trace, right.thread);
  }
  uint32_t last[2] = {0, 0};  // of the right and the left one; of blocks without statements, that of the block before
  while (true) {
    const Alignment::Which which = alignment.next();
    if (which == Alignment::Which::kEnd) break;
    const bool in_left = which != Alignment::Which::kRight;
    const PointCursor& cursor = in_left ? alignment.left() : alignment.right();
    const uint32_t statement = (in_left ? left : right).statement_at(cursor.block());
    if (statement != program::kNone) last[in_left] = statement;
    // Those of the one program go on from whichever execution came last.
    if (!program) last[!in_left] = last[in_left];
    if (which == Alignment::Which::kBoth) {
      regions.common(last[true]);
      if (values) values->add_pair(alignment.left().points() - 1, alignment.right().points() - 1);
    } else {
      regions.lone(in_left, last[in_left], cursor.points());
    }
  }
  regions.finish();
  if (values) difference.statements = values->finish();
  return difference;
}

TraceDifference compare_all_threads(const trace::TraceFile& left, const trace::TraceFile& right,
                                    const UnionProgram* program) {
  const std::vector<ThreadOrigin> left_origins = program ? thread_origins(left, *program, true) : thread_origins(left);
  const std::vector<ThreadOrigin> right_origins =
      program ? thread_origins(right, *program, false) : thread_origins(right);
  const VersionNumbers* left_version = program ? &program->version(true) : nullptr;
  const VersionNumbers* right_version = program ? &program->version(false) : nullptr;
  TraceDifference whole;
  std::vector<bool> paired[2] = {std::vector<bool>(right_origins.size()), std::vector<bool>(left_origins.size())};
  for (const auto& [left_thread, right_thread] : corresponding_threads(left_origins, right_origins)) {
    paired[1][left_thread] = paired[0][right_thread] = true;
    whole.threads.push_back(
        {left_origins[left_thread].statement, left_thread, right_thread,
         compare_threads({left, left_thread, left_version}, {right, right_thread, right_version}, program)});
  }
  for (const bool in_left : {false, true}) {
    const std::vector<ThreadOrigin>& origins = in_left ? left_origins : right_origins;
    for (uint32_t thread = 1; thread < origins.size(); ++thread) {
      if (!paired[in_left][thread]) whole.alone[in_left].push_back(origins[thread].statement);
    }
  }
  return whole;
}

}  // namespace

ExecutionDifference compare_executions(const PointReport& left, const PointReport& right,
                                       const program::ProgramModel& model) {
  return Comparison(left, right, model).compare();
}

TraceDifference compare_traces(const trace::TraceFile& left, const trace::TraceFile& right) {
  return compare_all_threads(left, right, nullptr);
}

TraceDifference compare_traces(const trace::TraceFile& left, const trace::TraceFile& right,
                               const UnionProgram& program) {
  return compare_all_threads(left, right, &program);
}

}  // namespace culprit
