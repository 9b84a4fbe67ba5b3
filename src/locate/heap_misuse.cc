#include "locate/heap_misuse.h"

#include <algorithm>
#include <tuple>

#include "locate/failure.h"
#include "locate/graph_nodes.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

using depend::DependenceGraph;

constexpr size_t kMostMisuses = 3;

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

HeapFault fault_of(const DependenceGraph& graph, const format::GraphMisuse& misuse) {
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

std::vector<HeapFault> heap_misuses(const DependenceGraph& graph, const std::vector<HeapFault>& known) {
  const program::ProgramModel& model = graph.model();
  std::vector<HeapFault> faults;
  const auto is_told = [&](const HeapFault& fault) {
    const auto same = [&](const HeapFault& other) { return line_of(model, other) == line_of(model, fault); };
    return std::any_of(known.begin(), known.end(), same) || std::any_of(faults.begin(), faults.end(), same);
  };
  for (const format::GraphMisuse& each : graph.file().misuses()) {
    if (faults.size() == kMostMisuses) break;
    HeapFault fault = fault_of(graph, each);
    if (std::get<1>(line_of(model, fault)) != 0 && !is_told(fault)) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace culprit
