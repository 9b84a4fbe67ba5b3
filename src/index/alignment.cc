#include "index/alignment.h"

#include <algorithm>

namespace culprit {
namespace {

int sign(uint64_t left, uint64_t right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace

Alignment::Alignment(ControlSource& left, ControlSource& right, const FlowTables& tables, AlignmentKind kind)
    : tables_(tables),
      left_(left, tables, kind == AlignmentKind::kStructural),
      right_(right, tables, kind == AlignmentKind::kStructural),
      structural_(kind == AlignmentKind::kStructural) {}

Alignment::Which Alignment::next() {
  if (right_is_next_alone_) {
    right_is_next_alone_ = false;
    return Which::kRight;
  }
  if (move_left_) has_left_ = left_.advance();
  if (move_right_) has_right_ = right_.advance();
  move_left_ = move_right_ = false;
  if (!has_left_ && !has_right_) return Which::kEnd;
  const int order = !has_left_ ? 1 : !has_right_ ? -1 : compare();
  move_left_ = order <= 0 && has_left_;
  move_right_ = order >= 0 && has_right_;
  if (order < 0) return Which::kLeft;
  if (order > 0) return Which::kRight;
  if (!structural_ || same_structure()) return Which::kBoth;
  right_is_next_alone_ = true;
  return Which::kLeft;
}

int Alignment::compare() {
  const auto& left = left_.frames();
  const auto& right = right_.frames();
  const size_t changed = std::min(left_.take_lowest_change(), right_.take_lowest_change());
  same_frames_ = std::min(same_frames_, changed);
  same_structures_ = std::min(same_structures_, changed);
  const size_t shorter = std::min(left.size(), right.size());
  while (same_frames_ < shorter) {
    const bool left_is_last = same_frames_ + 1 == left.size();
    const bool right_is_last = same_frames_ + 1 == right.size();
    const int order = compare_frames(left[same_frames_], right[same_frames_], left_is_last, right_is_last);
    if (order != 0) return order;
    ++same_frames_;
  }
  return sign(left.size(), right.size());
}

int Alignment::compare_frames(const CursorFrame& left, const CursorFrame& right, bool left_is_last,
                              bool right_is_last) const {
  // A call site may have entered different functions.
  const int place = compare_places(
      tables_, left.block, [&](uint16_t level) { return left_.iteration(left, level); }, right.block,
      [&](uint16_t level) { return right_.iteration(right, level); });
  if (place != 0) return place;
  // The block itself comes before what it calls.
  const uint32_t left_call = left_is_last ? 0 : left.call, right_call = right_is_last ? 0 : right.call;
  if (left_call != right_call) return sign(left_call, right_call);
  return left_call == 0 ? 0 : sign(left.entries, right.entries);
}

bool Alignment::same_structure() {
  const size_t frames = left_.frames().size();
  while (same_structures_ < frames &&
         left_.structure_hash(same_structures_) == right_.structure_hash(same_structures_)) {
    ++same_structures_;
  }
  return same_structures_ == frames;
}

AlignmentCount count_aligned(Alignment& alignment) {
  AlignmentCount count;
  while (true) {
    switch (alignment.next()) {
      case Alignment::Which::kBoth:
        ++count.both;
        break;
      case Alignment::Which::kLeft:
        ++count.left_only;
        break;
      case Alignment::Which::kRight:
        ++count.right_only;
        break;
      case Alignment::Which::kEnd:
        return count;
    }
  }
}

}  // namespace culprit
