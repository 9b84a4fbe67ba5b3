#include "locate/deadlock.h"

#include <algorithm>
#include <string_view>

#include "locate/graph_nodes.h"
#include "locate/own_statements.h"
#include "program/external_roles.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::GraphWait;
using format::GraphWaitKind;
using format::WaitsFor;

namespace {

constexpr uint64_t kMostOfState = 64;  // bytes from the beginning of a condition to where its futex may be
constexpr size_t kMostWrites = 3;      // by places
constexpr size_t kMostCallers = 2;     // whose calls may have been meant to wake
constexpr Execution kMostLooked = 50'000'000;

std::string_view callee_of(const program::ProgramModel& model, uint32_t operation) {
  const format::OperationRecord& record = model.operation(operation);
  if (record.kind != format::OperationKind::kCall || record.detail == format::kNone) return {};
  const uint32_t callee = model.call(record.detail).callee;
  return callee == format::kNone ? std::string_view() : model.text(model.function(callee).linkage_name);
}

/// As active_statements, without those of who made the thread.
std::vector<uint32_t> active_in_thread(const DependenceGraph& graph, Node node) {
  const uint32_t thread = graph.thread_of_frame(graph.execution(node.execution()).frame);
  std::vector<uint32_t> statements;
  while (graph.thread_of_frame(graph.execution(node.execution()).frame) == thread) {
    statements.push_back(graph.model().operation(node.operation()).statement);
    const Node call = graph.frame(graph.execution(node.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= node.execution()) break;
    node = call;
  }
  return statements;
}

/// Of the activations at a node the innermost that is the program's own: the node in it.
Node own_node(const DependenceGraph& graph, Node node) {
  for (Node at = node; at != depend::kNoNode;) {
    if (is_own_statement(graph.model(), graph.model().operation(at.operation()).statement)) return at;
    const Node call = graph.frame(graph.execution(at.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= at.execution()) break;
    at = call;
  }
  return node;
}

/// Whether a call lets others go on: by itself, or a short function that it enters does.
bool lets_go_on(const program::ProgramModel& model, uint32_t operation, bool locks) {
  const auto releases = [&](std::string_view name) {
    if (name.empty() || !program::external_role(name).releases || program::waits_for_others(name)) return false;
    const bool unlocks = name.find("unlock") != std::string_view::npos;
    return unlocks == locks;
  };
  const format::OperationRecord& record = model.operation(operation);
  if (record.kind != format::OperationKind::kCall || record.detail == format::kNone) return false;
  const uint32_t callee = model.call(record.detail).callee;
  if (callee == format::kNone) return false;
  if (releases(model.text(model.function(callee).linkage_name))) return true;
  const program::Indices blocks = model.blocks_of(callee);
  if (blocks.empty() || !is_short_function(model, callee)) return false;
  return std::any_of(blocks.begin(), blocks.end(), [&](uint32_t block) {
    const program::Indices operations = model.operations_of(block);
    return std::any_of(operations.begin(), operations.end(),
                       [&](uint32_t each) { return releases(callee_of(model, each)); });
  });
}

/// In the node's activation, the last branch from there on that went past a call which would have let others go on.
std::optional<SkippedRelease> skipped_release(const DependenceGraph& graph, Node from, bool locks) {
  const program::ProgramModel& model = graph.model();
  const uint32_t frame = graph.execution(from.execution()).frame;
  std::vector<uint32_t> executed;  // blocks, in order
  const Execution end = std::min<Execution>(graph.executions(), from.execution() + kMostLooked);
  for (Execution each = from.execution(); each < end; ++each) {
    const depend::BlockExecution at = graph.execution(each);
    if (at.frame == frame) executed.push_back(at.block);
  }
  const uint32_t function = model.function_of_block(graph.block_of(from.execution()));
  std::optional<SkippedRelease> skipped;
  size_t latest = 0;
  for (const uint32_t block : model.blocks_of(function)) {
    if (std::find(executed.begin(), executed.end(), block) != executed.end()) continue;
    for (const uint32_t operation : model.operations_of(block)) {
      if (!lets_go_on(model, operation, locks)) continue;
      for (const auto& dependence : model.dependences_of(block)) {
        const uint32_t branch = model.source_of_edge(dependence.edge);
        const auto last = std::find(executed.rbegin(), executed.rend(), branch);
        const auto position = static_cast<size_t>(executed.rend() - last);
        if (last == executed.rend() || position <= latest || cleans_up(model, branch)) continue;
        latest = position;
        skipped = {.call = model.operation(operation).statement, .branch = branch};
      }
    }
  }
  return skipped;
}

/// The same of a write that should have been followed by a wake-up, be it in a caller.
std::optional<SkippedRelease> skipped_wake_up(const DependenceGraph& graph, Node write) {
  Node at = own_node(graph, write);
  for (size_t callers = 0; callers <= kMostCallers; ++callers) {
    if (const auto skipped = skipped_release(graph, at, false)) return skipped;
    const Node call = graph.frame(graph.execution(at.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= at.execution()) break;
    at = call;
  }
  return std::nullopt;
}

class WaitsInGraph {
 public:
  explicit WaitsInGraph(const DependenceGraph& graph) : graph_(graph) {}

  WaitingThread thread_of(const format::WaitPart& part) const {
    WaitingThread thread{.thread = part.thread, .waits_for = part.waits_for, .other = part.other};
    Node call = depend::kNoNode;
    for (const GraphWait& each : graph_.file().waits()) {
      if (each.kind == GraphWaitKind::kWaits && each.thread == part.thread) call = node_of(each);
    }
    if (call != depend::kNoNode) thread.active = active_in_thread(graph_, call);
    if (part.waits_for == WaitsFor::kThreadEnd) return thread;
    const bool is_lock = part.waits_for == WaitsFor::kMutex ||
                         (call != depend::kNoNode && takes_lock(callee_of(graph_.model(), call.operation())));
    if (is_lock) {
      find_holder(part, thread);
    } else {
      find_writes(part, thread);
    }
    return thread;
  }

 private:
  /// Other than semaphores, which nobody holds.
  static bool takes_lock(std::string_view function) {
    return function.find("lock") != std::string_view::npos && !program::waits_for_others(function);
  }

  Node node_of(const GraphWait& wait) const {
    if (wait.node >= graph_.file().numbers()) graph_.file().fail_at(0, "a wait of a node that does not exist");
    return graph_.node_of({wait.node});
  }

  void find_holder(const format::WaitPart& part, WaitingThread& thread) const {
    for (const GraphWait& each : graph_.file().waits()) {
      if (each.kind != GraphWaitKind::kHolds || each.address != part.address) continue;
      const Node taken = node_of(each);
      thread.waits_for = WaitsFor::kMutex;
      thread.holder = LockHolder{.thread = each.thread,
                                 .taken = active_in_thread(graph_, taken),
                                 .skipped = skipped_release(graph_, own_node(graph_, taken), true)};
    }
    if (!thread.holder && part.waits_for == WaitsFor::kMutex) thread.holder = LockHolder{.thread = part.other};
  }

  void find_writes(const format::WaitPart& part, WaitingThread& thread) const {
    std::vector<Node> writes;
    for (const GraphWait& each : graph_.file().waits()) {
      const bool is_its_state = each.address <= part.address && part.address < each.address + kMostOfState;
      if (each.kind == GraphWaitKind::kReleases && is_its_state) thread.woken = active_in_thread(graph_, node_of(each));
      if (each.kind == GraphWaitKind::kChanges && each.thread == part.thread) writes.push_back(node_of(each));
    }
    std::sort(writes.rbegin(), writes.rend());
    std::vector<uint32_t> told;
    for (const Node write : writes) {
      std::vector<uint32_t> active = active_in_thread(graph_, write);
      const uint32_t own = own_statement(graph_.model(), active);
      if (own == program::kNone || std::find(told.begin(), told.end(), own) != told.end()) continue;
      if (told.size() == kMostWrites) break;
      told.push_back(own);
      thread.writes.push_back({.thread = graph_.frame(graph_.execution(write.execution()).frame).thread,
                               .active = std::move(active),
                               .skipped = skipped_wake_up(graph_, write)});
    }
  }

  const DependenceGraph& graph_;
};

}  // namespace

std::vector<WaitingThread> waiting_threads(const DependenceGraph& graph, const std::vector<format::WaitPart>& waits) {
  const WaitsInGraph in_graph(graph);
  std::vector<WaitingThread> threads;
  for (const format::WaitPart& each : waits) threads.push_back(in_graph.thread_of(each));
  // Who waits for the end of another one only waits for what that waits for, and who waits for work has nothing to do.
  std::stable_sort(threads.begin(), threads.end(), [](const WaitingThread& one, const WaitingThread& other) {
    const auto order = [](const WaitingThread& each) {
      if (each.active.empty()) return 3;
      if (each.waits_for == WaitsFor::kThreadEnd) return 2;
      return each.holder || !each.writes.empty() ? 0 : 1;
    };
    return std::pair(order(one), one.thread) < std::pair(order(other), other.thread);
  });
  return threads;
}

}  // namespace culprit
