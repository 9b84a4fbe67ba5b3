// What ids need to know of a program's control flow, by block, so that following an execution costs little per block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/flow_graph.h"
#include "program/program_model.h"

namespace culprit {

/// Plain data. Blocks, loops and edges have the program's numbers; a loop's level is how many loops are around it.
class FlowTables {
 public:
  static constexpr uint32_t kNoLoop = 0xffffffff;

  struct Block {
    uint32_t function = 0;
    uint32_t loop = kNoLoop;  ///< innermost
    uint32_t position = 0;    ///< among its siblings (program/execution_order.h)
    uint16_t level = 0;       ///< loops around it
    bool is_header = false;   ///< of its innermost loop
    bool counts = false;      ///< arriving here from inside the loop begins an iteration
    uint32_t first_edge = 0;
    bool closes = false;  ///< the end of a region that is pushed (instrument/index_sei.cc says which)
  };
  struct Loop {
    uint32_t parent = kNoLoop;
    uint32_t position = 0;
    uint16_t level = 0;
  };
  struct Edge {
    uint32_t target = 0;
    uint32_t closing = 0;  ///< the block that ends the region, or size() for the function's exit
    bool is_pushed = false;
  };

  explicit FlowTables(const program::ProgramModel& model);
  /// Of functions whose graphs are given; a function's blocks follow those of the one before.
  explicit FlowTables(std::span<const program::FlowGraph> functions);

  uint32_t size() const { return static_cast<uint32_t>(blocks_.size()); }
  const Block& block(uint32_t number) const { return blocks_[number]; }
  const Loop& loop(uint32_t number) const { return loops_[number]; }
  /// The edge between two blocks of a function: the first of parallel ones. Null when there is none.
  const Edge* edge_between(uint32_t from, uint32_t to, uint32_t& number) const;
  const std::vector<Edge>& edges() const { return edges_; }
  /// The loop of the given level around a block that has so many.
  uint32_t loop_at(uint32_t block, uint16_t level) const;
  /// Whether `block` lies in `loop`.
  bool lies_in(uint32_t block, uint32_t loop) const;

 private:
  void add_function(const program::FlowGraph& graph);

  std::vector<Block> blocks_;
  std::vector<Loop> loops_;
  std::vector<Edge> edges_;
  uint32_t functions_ = 0;
};

/// Which of two places of one activation, or of activations that correspond, is executed first: negative, positive, or
/// 0 when they are the same block in the same iterations. `left_iteration(level)` is that of the loop with so many
/// around it. Blocks of different functions are ordered by function.
template <typename LeftIteration, typename RightIteration>
int compare_places(const FlowTables& tables, uint32_t left, LeftIteration left_iteration, uint32_t right,
                   RightIteration right_iteration) {
  const auto order = [](uint64_t one, uint64_t other) { return one < other ? -1 : one > other ? 1 : 0; };
  const FlowTables::Block& left_block = tables.block(left);
  const FlowTables::Block& right_block = tables.block(right);
  if (left_block.function != right_block.function) return order(left_block.function, right_block.function);
  for (uint16_t level = 0;; ++level) {
    const bool left_in_loop = level < left_block.level, right_in_loop = level < right_block.level;
    const uint32_t left_loop = left_in_loop ? tables.loop_at(left, level) : FlowTables::kNoLoop;
    const uint32_t right_loop = right_in_loop ? tables.loop_at(right, level) : FlowTables::kNoLoop;
    if (left_loop != right_loop) {
      return order(left_in_loop ? tables.loop(left_loop).position : left_block.position,
                   right_in_loop ? tables.loop(right_loop).position : right_block.position);
    }
    if (!left_in_loop) return order(left_block.position, right_block.position);
    const int iterations = order(left_iteration(level), right_iteration(level));
    if (iterations != 0) return iterations;
  }
}

}  // namespace culprit
