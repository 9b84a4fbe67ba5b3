#include "locate/heap_misuse.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "depend/build_graph.h"
#include "depend/dead_stack.h"
#include "depend/variable_bounds.h"
#include "locate/accessed_variable.h"
#include "locate/failure.h"
#include "locate/graph_nodes.h"
#include "locate/own_statements.h"
#include "locate/pointer_terms.h"
#include "program/external_roles.h"
#include "trace/control_stream.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;

constexpr size_t kMostMisuses = 3;
constexpr int kMostSteps = 1 << 16;  // of a pointer that walked

HeapError error_of(const format::GraphMisuse& misuse) {
  const bool of_freed = (misuse.flags & format::kGraphMisuseOfFreed) != 0;
  if ((misuse.flags & format::kGraphMisuseReleases) != 0) {
    return of_freed ? HeapError::kFreedTwice : HeapError::kFreedInside;
  }
  return of_freed ? HeapError::kUsedAfterFree : HeapError::kOutOfBounds;
}

std::vector<uint32_t> activations_at(const DependenceGraph& graph, uint64_t number) {
  if (number == format::kGraphNoNumber) return {};
  if (number >= graph.file().numbers()) graph.file().fail_at(0, "a misuse of the heap by a node that does not exist");
  return active_statements(graph, graph.node_of({number}));
}

/// The allocation that the accessing pointer was made by; kNoNode where that is not known.
Node allocation_of_pointer(const DependenceGraph& graph, Node access) {
  const program::ProgramModel& model = graph.model();
  const auto operands = model.operands_of(access.operation());
  for (uint32_t each = 0; each < operands.size(); ++each) {
    if (operands[each].role != format::OperandRole::kAddress) continue;
    std::vector<uint32_t> steps;
    const Node made =
        maker_of_pointer(graph, access, model.operation(access.operation()).first_operand + each, kMostSteps, steps);
    if (made == depend::kNoNode || kind_of(graph, made) != format::OperationKind::kCall) return depend::kNoNode;
    const uint32_t callee = model.call(model.operation(made.operation()).detail).callee;
    if (callee == program::kNone) return depend::kNoNode;
    return program::external_role(model.text(model.function(callee).linkage_name)).allocates ? made : depend::kNoNode;
  }
  return depend::kNoNode;
}

/// The block that an allocation gave; nothing when that cannot be told.
std::optional<format::TraceHeapChange> block_made_by(const trace::TraceFile& trace, Node allocation) {
  trace::ControlStream stream(trace);
  std::unordered_map<trace::FrameId, depend::Execution> current;
  format::TraceHeapChange latest{};
  for (depend::Execution next = 0;;) {
    const trace::Step& step = stream.next();
    switch (step.kind) {
      case trace::StepKind::kEnd:
        return std::nullopt;
      case trace::StepKind::kRun:
        if (step.starts) current[step.frame] = next++;
        break;
      case trace::StepKind::kHeap:
        if (step.heap.bytes < format::kTraceHeapKept) latest = step.heap;
        break;
      case trace::StepKind::kReturned:
        if (step.operation != allocation.operation() || current[step.frame] != allocation.execution()) break;
        return latest.address == step.returned->result ? std::optional(latest) : std::nullopt;
      case trace::StepKind::kLeave:
      case trace::StepKind::kUnwound:
        current.erase(step.frame);
        break;
      case trace::StepKind::kEnter:
        break;
    }
  }
}

/// An address says which block was hit. When the pointer was made by another allocation, and the address is not of what
/// that gave, then the access left the bounds of that block; else the memory has had other owners since.
void tell_block_that_was_meant(const DependenceGraph& graph, const trace::TraceFile& trace,
                               const format::GraphMisuse& misuse, HeapFault& fault) {
  const bool is_access = fault.error == HeapError::kUsedAfterFree || fault.error == HeapError::kOutOfBounds;
  if (!is_access || fault.variable || misuse.allocated == format::kGraphNoNumber) return;
  const Node meant = allocation_of_pointer(graph, graph.node_of({misuse.node}));
  if (meant == depend::kNoNode || meant == graph.node_of({misuse.allocated})) return;
  const auto block = block_made_by(trace, meant);
  if (!block || misuse.address - block->address < block->bytes) return;
  fault.error = HeapError::kOutOfBounds;
  fault.allocated = active_statements(graph, meant);
  fault.freed.clear();
  fault.offset = static_cast<int64_t>(misuse.address - block->address);
  fault.bytes = block->bytes;
  fault.strays = true;
}

/// What a pointer begins with: what made it, or, of an argument or constant that nothing made, where it is used.
struct PointerRoot {
  Node made;                        ///< kNoNode: nothing did
  uint32_t frame = 0, operand = 0;  ///< of those
  format::OperandKind kind = format::OperandKind::kOperation;
  bool operator==(const PointerRoot&) const = default;
};

/// Of the address that an operation accesses; nothing when that is not known.
std::optional<PointerRoot> root_of_pointer(const DependenceGraph& graph, Node access) {
  const program::ProgramModel& model = graph.model();
  const auto operands = model.operands_of(access.operation());
  const auto address = std::find_if(operands.begin(), operands.end(),
                                    [](const auto& each) { return each.role == format::OperandRole::kAddress; });
  if (address == operands.end()) return std::nullopt;
  std::vector<uint32_t> steps;
  const auto number = static_cast<uint32_t>(address - operands.begin());
  const Node made =
      maker_of_pointer(graph, access, model.operation(access.operation()).first_operand + number, kMostSteps, steps);
  const bool is_step = made != depend::kNoNode && kind_of(graph, made) == format::OperationKind::kStep;
  if (made != depend::kNoNode && !is_step) return PointerRoot{.made = made};
  const format::OperandRecord& base = is_step ? model.operands_of(made.operation()).front() : *address;
  if (base.kind == format::OperandKind::kOperation) return std::nullopt;  // nobody knows
  const Node user = is_step ? made : access;
  return PointerRoot{.made = depend::kNoNode,
                     .frame = graph.execution(user.execution()).frame,
                     .operand = base.kind == format::OperandKind::kArgument ? base.value : user.operation(),
                     .kind = base.kind};
}

/// Of writes in even steps, whether the pointer is the same that went on: else several variables were meant, one behind
/// the other.
bool is_one_walk(const DependenceGraph& graph, const format::GraphMisuse& misuse) {
  activations_at(graph, misuse.node);  // check the numbers
  activations_at(graph, misuse.allocated);
  if (misuse.node == format::kGraphNoNumber || misuse.allocated == format::kGraphNoNumber) return false;
  const auto one = root_of_pointer(graph, graph.node_of({misuse.node}));
  return one && one == root_of_pointer(graph, graph.node_of({misuse.allocated}));
}

HeapFault fault_of(const DependenceGraph& graph, const trace::TraceFile& trace, const format::GraphMisuse& misuse) {
  HeapFault fault{.error = error_of(misuse),
                  .bytes = misuse.bytes,
                  .allocated = {},
                  .freed = activations_at(graph, misuse.freed),
                  .access = {},
                  .offset = static_cast<int64_t>(misuse.address - misuse.block),
                  .first_different_branch = {},
                  .writes = (misuse.flags & format::kGraphMisuseWrites) != 0,
                  .variable = {},
                  .was_seen = true};
  if (misuse.variable != format::kGraphNoVariable) {
    const bool is_global = misuse.frame == format::kGraphNoVariable;
    if (misuse.variable >= graph.model().sections().variables.size() ||
        (!is_global && misuse.frame >= graph.frames())) {
      graph.file().fail_at(0, "a misuse of a variable that does not exist");
    }
    fault.variable = misuse.variable;
    if (!is_global) fault.function = graph.frame(misuse.frame).function;
  }
  if (!fault.variable) fault.allocated = activations_at(graph, misuse.allocated);
  for (const uint32_t statement : activations_at(graph, misuse.node)) fault.access.push_back({.statement = statement});
  tell_block_that_was_meant(graph, trace, misuse, fault);
  return fault;
}

/// Whether an activation was going on when `node` was executed by its thread.
bool is_active(const DependenceGraph& graph, uint32_t frame, Node node) {
  for (uint32_t at = graph.execution(node.execution()).frame; at != frame;) {
    const Node call = graph.frame(at).call;
    if (call == depend::kNoNode) return false;
    at = graph.execution(call.execution()).frame;
  }
  return true;
}

/// What uses the constant that a chain of copies begins with: an argument that is one was given by a caller. kNoNode
/// when that cannot be told.
Node user_of_constant(const DependenceGraph& graph, Node made) {
  uint32_t number = 0;
  while (true) {
    const auto operands = graph.model().operands_of(made.operation());
    if (number >= operands.size()) return depend::kNoNode;
    if (operands[number].kind == format::OperandKind::kConstant) return made;
    if (operands[number].kind != format::OperandKind::kArgument) return depend::kNoNode;
    const depend::Frame frame = graph.frame(graph.execution(made.execution()).frame);
    if (frame.call == depend::kNoNode || frame.by_native) return depend::kNoNode;
    number = operands[number].value;
    made = Node::of(frame.call.execution(), frame.call.operation());
  }
}

/// The variable that a pointer was made from, which came to what `made` computes; nothing when its activation still
/// goes on, or has no variable at the address.
std::optional<HeapFault> fault_of_ended(const DependenceGraph& graph, const trace::TraceFile& trace,
                                        const format::GraphMisuse& misuse, Node made) {
  const program::ProgramModel& model = graph.model();
  const uint32_t frame = graph.execution(made.execution()).frame;
  const uint32_t function = graph.frame(frame).function;
  const uint32_t number = depend::user_base_of(model, function);
  if (number == program::kNone || is_active(graph, frame, graph.node_of({misuse.node}))) return std::nullopt;
  uint64_t base = 0;
  depend::ask_before(trace, made, [&](depend::DefinitionQuery& query) { base = query.base(frame, number); });
  const auto variable =
      base == 0 ? std::nullopt : local_at(model, function, format::HomeKind::kUserStack, misuse.address - base);
  if (!variable) return std::nullopt;
  const format::VariableRecord& record = model.variable(*variable);
  HeapFault fault;
  fault.error = HeapError::kUsedAfterReturn;
  fault.bytes = depend::bytes_of_type(model, record.type);
  fault.allocated = active_statements(graph, made);
  fault.offset = static_cast<int64_t>(misuse.address - base - static_cast<uint64_t>(record.offset));
  fault.writes = (misuse.flags & format::kGraphMisuseWrites) != 0;
  fault.variable = variable;
  fault.function = function;
  fault.was_seen = true;
  for (const uint32_t statement : activations_at(graph, misuse.node)) fault.access.push_back({.statement = statement});
  return fault;
}

/// An address alone does not say which variable was there: many were, by turns. The pointer does.
std::optional<HeapFault> fault_of_dead_stack(const DependenceGraph& graph, const trace::TraceFile& trace,
                                             const format::GraphMisuse& misuse) {
  const program::ProgramModel& model = graph.model();
  activations_at(graph, misuse.node);  // checks the number
  const Node access = graph.node_of({misuse.node});
  const auto operands = model.operands_of(access.operation());
  const bool is_call = kind_of(graph, access) == format::OperationKind::kCall;
  for (uint32_t each = 0; each < operands.size(); ++each) {
    if (!is_call && operands[each].role != format::OperandRole::kAddress) continue;
    std::vector<uint32_t> steps;
    const Node made =
        maker_of_pointer(graph, access, model.operation(access.operation()).first_operand + each, kMostSteps, steps);
    const Node user = made == depend::kNoNode ? made : user_of_constant(graph, made);
    if (user == depend::kNoNode) continue;
    if (auto fault = fault_of_ended(graph, trace, misuse, user)) return fault;
  }
  return std::nullopt;
}

/// Where a reader sees it.
std::tuple<std::string, uint32_t> line_of(const program::ProgramModel& model, const HeapFault& fault) {
  const uint32_t used = own_statement(model, statements_of(fault.access));
  report::SourcePlace place;
  if (used < model.statements().size()) {
    place = place_of_statement(model, used);
  } else if (fault.first_different_branch) {
    place = place_of_branch(model, *fault.first_different_branch);
  }
  return {place.file, place.line};
}

}  // namespace

bool is_hit_by(const program::ProgramModel& model, const HeapFault& found, const std::vector<HeapFault>& seen) {
  if (found.error != HeapError::kUsedAfterFree) return false;
  return std::any_of(seen.begin(), seen.end(), [&](const HeapFault& each) {
    const bool leaves = each.error == HeapError::kOutOfBounds && !each.variable;
    return leaves && (found.access.empty() || (each.strays && line_of(model, each) == line_of(model, found)));
  });
}

std::vector<HeapFault> heap_misuses(const DependenceGraph& graph, const trace::TraceFile& trace,
                                    const std::vector<HeapFault>& known) {
  const program::ProgramModel& model = graph.model();
  std::vector<HeapFault> faults;
  const auto is_told = [&](const HeapFault& fault) {
    const auto same = [&](const HeapFault& other) { return line_of(model, other) == line_of(model, fault); };
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const HeapFault& other) {
      // Which block was meant only the trace tells.
      return same(other) && !(fault.strays && other.error == HeapError::kUsedAfterFree);
    });
    return is_known || std::any_of(faults.begin(), faults.end(), same);
  };
  for (const format::GraphMisuse& each : graph.file().misuses()) {
    if (faults.size() == kMostMisuses) break;
    if ((each.flags & format::kGraphMisuseWalks) != 0 && !is_one_walk(graph, each)) continue;
    const bool of_stack = (each.flags & format::kGraphMisuseOfDeadStack) != 0;
    std::optional<HeapFault> fault = of_stack ? fault_of_dead_stack(graph, trace, each) : fault_of(graph, trace, each);
    if (fault && std::get<1>(line_of(model, *fault)) != 0 && !is_told(*fault)) faults.push_back(std::move(*fault));
  }
  return faults;
}

}  // namespace culprit
