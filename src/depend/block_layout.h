// What is the same in every execution of a block: the numbers of its nodes, which of its operations' sources are
// outside of it and where an execution's record keeps them, and what each node depends on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depend/node.h"
#include "program/program_model.h"

namespace culprit::depend {

enum class EdgeKind : uint8_t {
  kData,     ///< the value comes from there
  kAddress,  ///< it decided which memory or function is meant
  kControl,  ///< it decided that this runs
};

inline constexpr uint32_t kNoSlot = 0xffffffff;
/// Slot of every execution: what decided that it runs.
inline constexpr uint32_t kControlSlot = 0;

/// A dependence of a node beside that on what decided that its block runs.
struct StaticEdge {
  uint32_t source;  ///< a slot, or a node of the same execution by its place in the block
  EdgeKind kind;
  bool is_slot;
};

/// A node of a block; its place is its number less the execution's first.
struct BlockNode {
  uint32_t operation;  ///< with Node::kTransferBit
  /// Of `edges`: from here to the next node's. Of a call whose callee the trace may show two such stretches: when it
  /// entered no body, and when it did.
  uint32_t first_edge, first_edge_of_body;
  bool is_call;
};

struct BlockLayout {
  explicit BlockLayout(const program::ProgramModel& model);

  std::vector<uint32_t> slots;         ///< per block: how many
  std::vector<uint32_t> operand_slot;  ///< per operand; kNoSlot: constant, or an earlier operation of the same block
  /// Per operation: where the memory it reads, or a call's result, comes from; of a phi: what decided where control
  /// came from.
  std::vector<uint32_t> memory_slot;
  /// As of CellAccesses::accesses_before: of a load with one, either the store whose value it gets, and it has no slot;
  /// or a load with whose slot it shares.
  std::vector<uint32_t> access_before;
  std::vector<uint32_t> block_of;  ///< per operation
  /// Per block whose values other blocks use: its number among those of its function; else kNoSlot.
  std::vector<uint32_t> export_number;
  std::vector<uint32_t> exports;  ///< per function: how many

  std::vector<uint32_t> first_node;  ///< per block, and one more: index of `nodes`
  std::vector<BlockNode> nodes;      ///< and one more
  std::vector<StaticEdge> edges;
  std::vector<uint32_t> place;  ///< per operation: its node's place in the block

  /// The store of the same block whose value a load gets; kNone: its slot tells.
  uint32_t stored_by(uint32_t load) const { return memory_slot[load] == kNoSlot ? access_before[load] : format::kNone; }
  uint32_t nodes_of(uint32_t block) const { return first_node[block + 1] - first_node[block]; }
  std::span<const StaticEdge> edges_of(uint32_t node, bool entered_body) const {
    const uint32_t first = entered_body ? nodes[node].first_edge_of_body : nodes[node].first_edge;
    const uint32_t end = entered_body ? nodes[node + 1].first_edge : nodes[node].first_edge_of_body;
    return std::span(edges).subspan(first, end - first);
  }

 private:
  void lay_out_slots(const program::ProgramModel& model, uint32_t function, uint32_t block);
  void add_nodes(const program::ProgramModel& model, uint32_t block);
  void add_edges(const program::ProgramModel& model, uint32_t operation, bool transfer, bool entered_body);
};

}  // namespace culprit::depend
