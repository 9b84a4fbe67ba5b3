#include "locate/heap_misuse.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

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

HeapFault fault_of(const DependenceGraph& graph, const trace::TraceFile& trace, const format::GraphMisuse& misuse) {
  HeapFault fault{.error = error_of(misuse),
                  .bytes = misuse.bytes,
                  .allocated = activations_at(graph, misuse.allocated),
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
  for (const uint32_t statement : activations_at(graph, misuse.node)) fault.access.push_back({.statement = statement});
  tell_block_that_was_meant(graph, trace, misuse, fault);
  return fault;
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
    HeapFault fault = fault_of(graph, trace, each);
    if (std::get<1>(line_of(model, fault)) != 0 && !is_told(fault)) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace culprit
