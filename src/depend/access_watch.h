// What the pass over a trace (build_graph.h) looks for in the program's accesses to memory while it goes along: data
// races, where there are several threads, misuse of the heap and of variables, and who waits for whom at the end.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "depend/dead_stack.h"
#include "depend/heap_watch.h"
#include "depend/race_watch.h"
#include "depend/wait_watch.h"

namespace culprit::depend {

class AccessWatch {
 public:
  /// All must stay. Throws CorruptData.
  AccessWatch(const trace::TraceFile& trace, Definitions& definitions, StackVariables& stack)
      : stack_(stack),
        dead_(trace.model()),
        heap_(trace.model(), trace.anchors(), definitions, stack, dead_),
        waits_(trace.model(), definitions) {
    if (trace.threads() > 1) races_.emplace(trace, definitions);
  }

  /// Of the thread that all the following is about.
  void set_thread(uint32_t thread) {
    stack_.set_thread(thread);
    dead_.set_thread(thread);
  }
  /// `number`: that its first node will have; nothing when it had begun before the trace: what it has written is not
  /// known then.
  void enter(const Activation& activation, std::optional<uint64_t> number) {
    if (number) stack_.enter(activation, *number);
    dead_.enter(activation);
  }
  void leave(const Activation& activation) {
    stack_.leave(activation.frame);
    dead_.leave(activation.frame);
  }
  /// As of ThreadOrder.
  NodeNumber thread_begins(uint32_t thread, uint64_t handle) {
    return races_ ? races_->thread_begins(thread, handle) : kNoNumber;
  }
  void thread_ends(uint32_t thread) {
    if (races_) races_->thread_ends(thread);
    waits_.thread_ends(thread);
  }
  /// As of HeapWatch; `waiting`: the innermost activation, or null.
  void heap_changed(const format::TraceHeapChange& change, const Activation* waiting, const GraphWriter& writer) {
    const uint32_t call = waiting ? waiting->call : format::kNone;
    heap_.changed(change, call == format::kNone ? kNoNumber : writer.number(waiting->current, call), call);
  }
  /// An operation of the program is executed as `node`.
  void executed(uint32_t thread, const Activation& activation, const ActiveOperation& operation, NodeNumber node) {
    if (races_) races_->executed(thread, activation, operation, node);
    // Registers are nowhere in memory.
    if (operation.simple != SimpleAccess::kNone) return;
    heap_.executed(activation, operation, node);
    if (races_ || operation.kind == format::OperationKind::kCall) waits_.executed(thread, activation, operation, node);
  }
  /// The call `operation` of `function` came back; `effects` may be null: not known.
  void returned(uint32_t thread, std::string_view function, const trace::ReturnedCall& call, uint32_t operation,
                NodeNumber node, const program::CallEffects* effects) {
    if (races_ && effects) races_->returned(thread, operation, node, *effects);
    if (effects) waits_.returned(thread, operation, node, *effects);
    heap_.returned(function, call, operation, node, effects);
  }

  std::vector<format::GraphRace> races() const { return races_ ? races_->found() : std::vector<format::GraphRace>(); }
  std::span<const format::GraphMisuse> misuses() const { return heap_.found(); }
  std::vector<format::GraphWait> waits() const { return waits_.found(); }

 private:
  StackVariables& stack_;
  std::optional<RaceWatch> races_;
  DeadStack dead_;
  HeapWatch heap_;
  WaitWatch waits_;
};

}  // namespace culprit::depend
