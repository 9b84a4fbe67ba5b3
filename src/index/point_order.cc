// Two ids are equal up to a frame. In it, precise ids agree up to a loop's iteration or a place in one iteration of a
// loop; structural ones up to a branch's region, in which they then are at different places. Which place comes first is
// asked of the flow graph: the one from which the other can be reached without leaving the iteration, or without
// executing the region's branch again.
#include "index/point_order.h"

#include <algorithm>
#include <functional>

#include "program/execution_order.h"

namespace culprit {
namespace {

using format::PointKind;
using program::kNone;
using program::ProgramModel;

PointOrder order_of_numbers(uint64_t left, uint64_t right) {
  return left < right ? PointOrder::kBefore : left > right ? PointOrder::kAfter : PointOrder::kEqual;
}

/// Whether control can go from the end of one block to another, over the edges that `allowed` lets pass.
bool leads_to(const ProgramModel& model, uint32_t from, uint32_t to,
              const std::function<bool(uint32_t edge)>& allowed) {
  const uint32_t function = model.function_of_block(from);
  const uint32_t first = model.blocks_of(function).front();
  std::vector<bool> seen(model.blocks_of(function).size(), false);
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    for (const uint32_t edge : model.edges_of(block)) {
      const uint32_t target = model.edge(edge).target;
      if (seen[target - first] || !allowed(edge)) continue;
      if (target == to) return true;
      seen[target - first] = true;
      open.push_back(target);
    }
  }
  return false;
}

PointOrder order_of_places(const ProgramModel& model, uint32_t left, uint32_t right,
                           const std::function<bool(uint32_t edge)>& allowed) {
  const uint32_t left_block = model.block_of_statement(left), right_block = model.block_of_statement(right);
  if (left_block == right_block) return order_of_numbers(left, right);
  if (leads_to(model, left_block, right_block, allowed)) return PointOrder::kBefore;
  if (leads_to(model, right_block, left_block, allowed)) return PointOrder::kAfter;
  return PointOrder::kUnordered;
}

std::vector<uint32_t> loops_of(const ProgramModel& model, uint32_t statement) {
  std::vector<uint32_t> loops;
  uint32_t loop = model.block(model.block_of_statement(statement)).innermost_loop;
  for (; loop != kNone; loop = model.loop(loop).parent) loops.push_back(loop);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

bool lies_in(const ProgramModel& model, uint32_t block, uint32_t loop) {
  uint32_t at = model.block(block).innermost_loop;
  while (at != kNone && at != loop) at = model.loop(at).parent;
  return at == loop;
}

/// Whether an edge leads to a place where the loop's iterations are counted, from inside.
bool begins_iteration(const ProgramModel& model, uint32_t loop, uint32_t edge) {
  if (!lies_in(model, model.source_of_edge(edge), loop)) return false;
  const uint32_t target = model.edge(edge).target;
  const uint32_t naturalising = model.loop(loop).naturalising_header;
  if (naturalising != kNone) return target == naturalising;
  const auto headers = model.headers_of(loop);
  return std::any_of(headers.begin(), headers.end(), [&](const auto& each) { return each.block == target; });
}

PointOrder order_in_frame(const PointFrame& left, const PointFrame& right, const ProgramModel& model) {
  const std::vector<uint32_t> left_loops = loops_of(model, left.statement);
  const std::vector<uint32_t> right_loops = loops_of(model, right.statement);
  size_t common = 0;
  while (common < left_loops.size() && common < right_loops.size() && left_loops[common] == right_loops[common]) {
    if (left.counts[common] != right.counts[common]) return order_of_numbers(left.counts[common], right.counts[common]);
    ++common;
  }
  if (left.statement == right.statement) return order_of_numbers(left.entries, right.entries);
  return order_of_places(model, left.statement, right.statement, [&](uint32_t edge) {
    for (size_t each = 0; each < common; ++each) {
      if (begins_iteration(model, left_loops[each], edge)) return false;
    }
    return true;
  });
}

/// Where a frame stands behind its first `same` open branches: at the next branch, or at its statement.
uint32_t place_behind(const PointFrame& frame, size_t same, const ProgramModel& model) {
  if (same == frame.branches.size() || frame.branches[same].edge >= model.sections().edges.size())
    return frame.statement;
  const auto statements = model.statements_of(model.source_of_edge(frame.branches[same].edge));
  return statements.empty() ? frame.statement : statements.back();
}

PointOrder order_in_structure(const PointFrame& left, const PointFrame& right, const ProgramModel& model) {
  size_t same = 0;
  while (same < left.branches.size() && same < right.branches.size() && left.branches[same] == right.branches[same])
    ++same;
  if (same == left.branches.size() && same == right.branches.size() && left.statement == right.statement) {
    return order_of_numbers(left.entries, right.entries);
  }
  // The same branch, taken more often in a row, was taken again after all that the other one's last time holds.
  if (same < left.branches.size() && same < right.branches.size() &&
      left.branches[same].edge == right.branches[same].edge) {
    return order_of_numbers(left.branches[same].times, right.branches[same].times);
  }
  const uint32_t inside = same == 0 ? kNone : left.branches[same - 1].edge;
  const uint32_t branch =
      inside == kNone || inside >= model.sections().edges.size() ? kNone : model.source_of_edge(inside);
  return order_of_places(model, place_behind(left, same, model), place_behind(right, same, model),
                         [&](uint32_t edge) { return model.source_of_edge(edge) != branch; });
}

}  // namespace

PointOrder order_of(const PointId& left, const PointId& right, const ProgramModel& model) {
  if (left == right) return PointOrder::kEqual;
  if (left.kind != right.kind || left.kind == PointKind::kContext) return PointOrder::kUnordered;
  if (left.kind == PointKind::kCount) return order_of_numbers(left.count, right.count);
  size_t same = 0;
  while (same < left.frames.size() && same < right.frames.size() && left.frames[same] == right.frames[same]) ++same;
  // A call comes before what it leads to.
  if (same == left.frames.size()) return PointOrder::kBefore;
  if (same == right.frames.size()) return PointOrder::kAfter;
  const PointFrame& left_frame = left.frames[same];
  const PointFrame& right_frame = right.frames[same];
  if (left_frame.statement == kNone || right_frame.statement == kNone) {
    return left_frame.statement == right_frame.statement ? order_of_numbers(left_frame.entries, right_frame.entries)
                                                         : PointOrder::kUnordered;
  }
  if (model.function_of_statement(left_frame.statement) != model.function_of_statement(right_frame.statement)) {
    return PointOrder::kUnordered;
  }
  if (left.kind == PointKind::kStructural) return order_in_structure(left_frame, right_frame, model);
  if (left.kind == PointKind::kPrecise) return order_in_frame(left_frame, right_frame, model);
  return left_frame.statement == right_frame.statement
             ? order_of_numbers(left_frame.counts.front(), right_frame.counts.front())
             : PointOrder::kUnordered;
}

}  // namespace culprit
