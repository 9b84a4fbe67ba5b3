#include "index/thread_origins.h"

#include <algorithm>
#include <map>
#include <optional>

#include "index/point_stream.h"
#include "index/traced_points.h"
#include "program/external_roles.h"

namespace culprit {
namespace {

/// A call that creates a thread.
struct Creation {
  uint32_t creator;
  uint64_t block;  ///< number of the block execution that makes the call, from 0, among the creator's
  uint32_t operation;
};

bool creates_thread(const program::ProgramModel& model, uint32_t operation) {
  const format::OperationRecord& record = model.operation(operation);
  if (record.kind != format::OperationKind::kCall || record.detail == format::kNone) return false;
  const uint32_t callee = model.call(record.detail).callee;
  return callee != format::kNone && program::makes_thread(model.function_name(callee));
}

/// In order of time, of all threads. With the numbers of a version, blocks are nodes of the union.
std::vector<Creation> find_creations(const trace::TraceFile& trace, const VersionNumbers* version) {
  std::vector<Creation> creations;
  std::vector<uint64_t> begun(trace.threads(), 0);
  PointStream stream(trace, version);
  while (true) {
    const trace::Step& step = stream.next();
    if (step.kind == trace::StepKind::kEnd) return creations;
    if (step.kind != trace::StepKind::kRun) continue;
    begun.at(step.thread) += step.starts ? 1 : 0;
    // A call is the last operation of what is executed before it.
    if (step.end == step.first || step.cut || !creates_thread(trace.model(), step.end - 1)) continue;
    creations.push_back({step.thread, begun[step.thread] - 1, step.end - 1});
  }
}

/// `program`: null for ids of the trace's own program.
std::vector<ThreadOrigin> find_origins(const trace::TraceFile& trace, const UnionProgram* program, bool is_left) {
  std::vector<ThreadOrigin> origins(trace.threads());
  if (origins.size() < 2) return origins;
  const std::vector<Creation> creations = find_creations(trace, program ? &program->version(is_left) : nullptr);
  std::map<uint32_t, std::vector<uint32_t>> created_by;  // threads, in order
  for (uint32_t thread = 1; thread < origins.size() && thread <= creations.size(); ++thread) {
    origins[thread].statement = trace.model().operation(creations[thread - 1].operation).statement;
    created_by[creations[thread - 1].creator].push_back(thread);
  }
  // Creators come before what they created, so their own origins are known.
  for (const auto& [creator, threads] : created_by) {
    std::optional<TracedPoints> points;
    program ? points.emplace(trace, creator, *program, is_left) : points.emplace(trace, creator);
    uint64_t block = 0;  // the next one's number
    for (const uint32_t thread : threads) {
      const Creation& creation = creations[thread - 1];
      while (block <= creation.block && points->advance()) ++block;
      origins[thread].words = origins[creator].words;
      const std::vector<uint64_t> words = points->words_of_operation(creation.operation);
      origins[thread].words.insert(origins[thread].words.end(), words.begin(), words.end());
    }
  }
  return origins;
}

}  // namespace

std::vector<ThreadOrigin> thread_origins(const trace::TraceFile& trace) {
  return find_origins(trace, nullptr, true);
}

std::vector<ThreadOrigin> thread_origins(const trace::TraceFile& trace, const UnionProgram& program, bool is_left) {
  return find_origins(trace, &program, is_left);
}

std::vector<std::pair<uint32_t, uint32_t>> corresponding_threads(const std::vector<ThreadOrigin>& left,
                                                                 const std::vector<ThreadOrigin>& right) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<bool> taken(right.size(), false);
  for (uint32_t each = 0; each < left.size(); ++each) {
    for (uint32_t other = 0; other < right.size(); ++other) {
      const bool known = each == 0 ? other == 0 : other != 0 && !left[each].words.empty();
      if (taken[other] || !known || left[each].words != right[other].words) continue;
      taken[other] = true;
      pairs.emplace_back(each, other);
      break;
    }
  }
  return pairs;
}

}  // namespace culprit
