#include "index/id_order.h"

#include <algorithm>

namespace culprit {
namespace {

int sign(uint64_t left, uint64_t right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

int compare_frames(const PointFrame& left, const PointFrame& right, bool left_is_last, bool right_is_last,
                   const program::ProgramModel& model, const FlowTables& tables) {
  if (left.statement == program::kNone || right.statement == program::kNone) {
    if (left.statement != right.statement) return left.statement == program::kNone ? -1 : 1;
    return sign(left.entries, right.entries);
  }
  const int place = compare_places(
      tables, model.block_of_statement(left.statement), [&](uint16_t level) { return left.counts[level]; },
      model.block_of_statement(right.statement), [&](uint16_t level) { return right.counts[level]; });
  if (place != 0) return place;
  // Statements of a block are numbered in order. A call comes before what it enters.
  if (left.statement != right.statement) return sign(left.statement, right.statement);
  if (left_is_last != right_is_last) return left_is_last ? -1 : 1;
  return left_is_last ? 0 : sign(left.entries, right.entries);
}

}  // namespace

int compare_ids(const PointId& left, const PointId& right, const program::ProgramModel& model,
                const FlowTables& tables) {
  const size_t shorter = std::min(left.frames.size(), right.frames.size());
  for (size_t frame = 0; frame < shorter; ++frame) {
    const int order = compare_frames(left.frames[frame], right.frames[frame], frame + 1 == left.frames.size(),
                                     frame + 1 == right.frames.size(), model, tables);
    if (order != 0) return order;
  }
  return sign(left.frames.size(), right.frames.size());
}

}  // namespace culprit
