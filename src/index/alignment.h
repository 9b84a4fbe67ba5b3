// Which points of two executions correspond (EPID §III-A, definition 1; FIC §3), found in one pass over both.
//
// Points are beginnings of blocks. Both executions pass their points in the order of their precise ids, if ids are
// ordered by iteration and, within an iteration, by the order in which blocks can follow each other. So the two streams
// are merged like sorted lists: the one whose point comes earlier goes on, and equal points are a pair. That preserves
// order (FIC def. 8) by construction, needs memory for the open activations only, and costs a comparison in the one
// activation where the two differ.
//
// The structural index is finer: it tells apart ways that came together again (EPID fig. 4). So its alignment is the
// same pass, with pairs only where the open branches agree too. (Where loops are tangled, so that headers nest them
// otherwise than post-dominance does, structural indices alone agree at some points of different iterations: those are
// no pairs here.)
#pragma once

#include <cstdint>
#include <optional>

#include "index/point_cursor.h"

namespace culprit {

enum class AlignmentKind { kPrecise, kStructural };

class Alignment {
 public:
  Alignment(ControlSource& left, ControlSource& right, const FlowTables& tables, AlignmentKind kind);

  enum class Which { kBoth, kLeft, kRight, kEnd };

  /// The next point: of both executions, or of one of them only. Of kStructural, two points that correspond by their
  /// precise ids only come as one of each.
  Which next();

  const PointCursor& left() const { return left_; }
  const PointCursor& right() const { return right_; }

 private:
  int compare();
  int compare_frames(const CursorFrame& left, const CursorFrame& right, bool left_is_last, bool right_is_last) const;
  bool same_structure();

  const FlowTables& tables_;
  PointCursor left_;
  PointCursor right_;
  bool structural_;
  bool has_left_ = false;
  bool has_right_ = false;
  bool move_left_ = true;
  bool move_right_ = true;
  size_t same_frames_ = 0;      ///< leading frames that were equal
  size_t same_structures_ = 0;  ///< leading frames whose open branches were equal
  bool right_is_next_alone_ = false;
};

struct AlignmentCount {
  uint64_t both = 0;
  uint64_t left_only = 0;
  uint64_t right_only = 0;
};
/// Runs over everything.
AlignmentCount count_aligned(Alignment& alignment);

}  // namespace culprit
