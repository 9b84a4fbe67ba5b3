#include "index/point_cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace culprit {
namespace {

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

}  // namespace

bool PointCursor::advance() {
  while (true) {
    const ControlEvent event = source_.next();
    switch (event.kind) {
      case ControlKind::kEnd:
        return false;
      case ControlKind::kEnter:
        enter(event.number);
        break;
      case ControlKind::kLeave:
        leave();
        break;
      case ControlKind::kBlock:
        go_to(event.number);
        ++points_;
        return true;
    }
  }
}

void PointCursor::enter(uint32_t call) {
  if (!frames_.empty()) {
    CursorFrame& caller = frames_.back();
    caller.entries = caller.call == call + 1 ? caller.entries + 1 : 0;
    caller.call = call + 1;
    lowest_change_ = std::min(lowest_change_, frames_.size() - 1);
  }
  const auto iterations = static_cast<uint32_t>(iterations_.size());
  frames_.push_back({.first_iteration = iterations, .first_branch = static_cast<uint32_t>(branches_.size())});
}

void PointCursor::leave() {
  if (frames_.empty()) throw CorruptData("control stream", points_, "an activation ends that did not begin");
  iterations_.resize(frames_.back().first_iteration);
  branches_.resize(frames_.back().first_branch);
  frames_.pop_back();
  lowest_change_ = std::min(lowest_change_, frames_.empty() ? 0 : frames_.size() - 1);
}

void PointCursor::go_to(uint32_t to) {
  if (to >= tables_.size()) throw CorruptData("control stream", points_, "there is no such block");
  // A thread's first activation may be entered without being announced.
  if (frames_.empty()) enter(0);
  CursorFrame& frame = frames_.back();
  const FlowTables::Block& block = tables_.block(to);
  const uint32_t from = frame.block;
  if (from != program::kNoBlock && tables_.block(from).function != block.function) {
    throw CorruptData("control stream", points_, fmt::format("block {} does not follow block {}", to, from));
  }
  iterations_.resize(frame.first_iteration + block.level);
  if (block.is_header) {
    uint64_t& iteration = iterations_.back();
    const bool from_inside = from != program::kNoBlock && tables_.lies_in(from, block.loop);
    if (!from_inside) {
      iteration = 0;
    } else if (block.counts) {
      ++iteration;
    }
  }
  if (structural_ && from != program::kNoBlock) follow_structure(from, to);
  frame.block = to;
  frame.call = 0;
  frame.entries = 0;
  lowest_change_ = std::min(lowest_change_, frames_.size() - 1);
}

void PointCursor::follow_structure(uint32_t from, uint32_t to) {
  const uint32_t bottom = frames_.back().first_branch;
  if (tables_.block(to).closes) {
    while (branches_.size() > bottom && branches_.back().closing == to) branches_.pop_back();
  }
  uint32_t number = 0;
  const FlowTables::Edge* edge = tables_.edge_between(from, to, number);
  if (!edge || !edge->is_pushed) return;
  if (branches_.size() > bottom && branches_.back().edge == number) {
    ++branches_.back().times;
  } else {
    branches_.push_back({.edge = number, .closing = edge->closing, .times = 1, .hash = 0});
  }
  const uint64_t below = branches_.size() - bottom > 1 ? branches_[branches_.size() - 2].hash : 0;
  branches_.back().hash = mixed(mixed(below, number + 1), branches_.back().times);
}

uint64_t PointCursor::structure_hash(size_t frame) const {
  const size_t begin = frames_[frame].first_branch;
  const size_t end = frame + 1 < frames_.size() ? frames_[frame + 1].first_branch : branches_.size();
  return begin == end ? 0 : branches_[end - 1].hash;
}

}  // namespace culprit
