// The point of an execution that a control stream has come to, with its id kept up to date block by block.
#pragma once

#include <cstdint>
#include <vector>

#include "index/control_source.h"
#include "index/flow_tables.h"

namespace culprit {

/// An activation: where it is, and the iterations of the loops around that.
struct CursorFrame {
  uint32_t block = program::kNoBlock;  ///< kNoBlock before its first
  uint32_t call = 0;                   ///< 1 + the block's call that the next frame was entered by; 0: the block itself
  uint32_t entries = 0;                ///< how often that call has entered something
  uint32_t first_iteration = 0;        ///< in PointCursor::iterations
  uint32_t first_branch = 0;           ///< in PointCursor::branches
};

/// An open branch of the structural index; equal hashes stand for equal branches of the activation up to here.
struct CursorBranch {
  uint32_t edge;
  uint32_t closing;
  uint64_t times;
  uint64_t hash;
};

/// Reads events up to the next block that begins, which is its point.
class PointCursor {
 public:
  PointCursor(ControlSource& source, const FlowTables& tables, bool structural)
      : source_(source), tables_(tables), structural_(structural) {}

  /// Goes to the next block; false at the end. Throws CorruptData when the blocks do not follow the program's edges.
  bool advance();

  const std::vector<CursorFrame>& frames() const { return frames_; }
  uint64_t iteration(const CursorFrame& frame, uint16_t level) const {
    return iterations_[frame.first_iteration + level];
  }
  uint32_t block() const { return frames_.back().block; }
  uint64_t points() const { return points_; }
  /// The lowest frame that was changed since the last call of this function.
  size_t take_lowest_change() {
    const size_t lowest = lowest_change_;
    lowest_change_ = frames_.size();
    return lowest;
  }
  /// Stands for the open branches of a frame.
  uint64_t structure_hash(size_t frame) const;

 private:
  void enter(uint32_t call);
  void leave();
  void go_to(uint32_t block);
  void follow_structure(uint32_t from, uint32_t to);

  ControlSource& source_;
  const FlowTables& tables_;
  bool structural_;
  std::vector<CursorFrame> frames_;
  std::vector<uint64_t> iterations_;
  std::vector<CursorBranch> branches_;
  size_t lowest_change_ = 0;
  uint64_t points_ = 0;
};

}  // namespace culprit
