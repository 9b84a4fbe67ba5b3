// The dynamic dependences of a run: between operations of block executions, data, address and control kept apart.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "depend/block_layout.h"
#include "depend/node.h"
#include "depend/output_runs.h"
#include "program/program_model.h"

namespace culprit::depend {

enum class EdgeKind : uint8_t {
  kData,     ///< the value comes from there
  kAddress,  ///< it decided which memory or function is meant
  kControl,  ///< it decided that this runs
};

struct Edge {
  Node to;
  EdgeKind kind;
};

struct BlockExecution {
  uint32_t block;
  uint32_t frame;
  uint64_t first_slot;
};

struct Frame {
  uint32_t function;
  uint32_t thread;
  Node call;  ///< that it was entered by; kNoNode for a thread's first
  bool by_native;
};

/// What a program puts out, by the stream's name in the shell's numbers.
enum class OutputStream : uint8_t { kStandardOutput, kStandardError };
inline constexpr size_t kOutputStreams = 2;

/// A call to native code of which nothing is known but its arguments.
using UnknownCalls = std::map<std::string, uint64_t>;

class DependenceGraph {
 public:
  explicit DependenceGraph(const program::ProgramModel& model) : model_(model), layout_(model) {}

  const program::ProgramModel& model() const { return model_; }
  const BlockLayout& layout() const { return layout_; }
  Execution executions() const { return static_cast<Execution>(executions_.size()); }
  const BlockExecution& execution(Execution index) const { return executions_[index]; }
  const Frame& frame(uint32_t index) const { return frames_[index]; }
  uint32_t frames() const { return static_cast<uint32_t>(frames_.size()); }

  /// Calls `visit(Edge)` for everything that `node` depends on directly.
  template <typename Visit>
  void for_each_edge(Node node, Visit&& visit) const;

  /// The sources of an operand's value; none for constants.
  template <typename Visit>
  void for_each_source(Node node, uint32_t operand, Visit&& visit) const;

  /// The sources of the memory that an operation reads, or of a call's result.
  template <typename Visit>
  void for_each_memory_source(Node node, Visit&& visit) const;

  /// Whether a call entered a body of the program directly.
  bool enters_body(Node call) const;

  /// Where the run ended, when the trace was cut: the last operation of the thread that went last.
  Node last() const { return last_; }
  const UnknownCalls& unknown_calls() const { return unknown_calls_; }
  const OutputRuns& output(OutputStream stream) const { return outputs_[static_cast<size_t>(stream)]; }
  size_t bytes() const;

 private:
  friend class GraphBuilder;
  static constexpr uint64_t kListBit = uint64_t{1} << 63;

  template <typename Visit>
  void visit_slot(uint64_t slot, Visit&& visit) const {
    if (slot == kNoNode.bits) return;
    if ((slot & kListBit) == 0) {
      visit(Node{slot});
      return;
    }
    const uint64_t* list = lists_.data() + (slot & ~kListBit);
    for (uint64_t each = 1; each <= *list; ++each) visit(Node{list[each]});
  }

  const program::ProgramModel& model_;
  BlockLayout layout_;
  std::vector<BlockExecution> executions_;
  std::vector<uint64_t> slots_;
  std::vector<uint64_t> lists_;  ///< a count, then so many nodes
  std::vector<Frame> frames_;
  Node last_ = kNoNode;
  UnknownCalls unknown_calls_;
  OutputRuns outputs_[kOutputStreams];
};

template <typename Visit>
void DependenceGraph::for_each_source(Node node, uint32_t operand, Visit&& visit) const {
  const format::OperandRecord& record = model_.sections().operands[operand];
  const uint32_t slot = layout_.operand_slot[operand];
  if (slot != kNoSlot) {
    visit_slot(slots_[executions_[node.execution()].first_slot + slot], visit);
  } else if (record.kind == format::OperandKind::kOperation) {
    visit(Node::of(node.execution(), record.value));
  }
}

template <typename Visit>
void DependenceGraph::for_each_memory_source(Node node, Visit&& visit) const {
  const uint32_t slot = layout_.memory_slot[node.operation()];
  if (slot != kNoSlot) visit_slot(slots_[executions_[node.execution()].first_slot + slot], visit);
}

template <typename Visit>
void DependenceGraph::for_each_edge(Node node, Visit&& visit) const {
  using namespace format;
  const auto& sections = model_.sections();
  const OperationRecord& record = sections.operations[node.operation()];
  // Arguments go to where the callee uses them.
  const bool enters = record.kind == OperationKind::kCall && enters_body(node);
  const bool phi = record.kind == OperationKind::kPhi;
  const uint32_t end = sections.operations[node.operation() + 1].first_operand;
  for (uint32_t each = record.first_operand; each < end; ++each) {
    const OperandRole role = sections.operands[each].role;
    const bool address = role == OperandRole::kAddress || role == OperandRole::kCallee;
    if (enters ? role != OperandRole::kCallee : node.is_transfer() && !address) continue;
    for_each_source(node, each, [&](Node to) { visit(Edge{to, address ? EdgeKind::kAddress : EdgeKind::kData}); });
    if (phi) break;  // all of them share one slot
  }
  if (!node.is_transfer()) {
    for_each_memory_source(node, [&](Node to) { visit(Edge{to, EdgeKind::kData}); });
  }
  visit_slot(slots_[executions_[node.execution()].first_slot + kControlSlot], [&](Node to) {
    visit(Edge{to, EdgeKind::kControl});
  });
}

}  // namespace culprit::depend
