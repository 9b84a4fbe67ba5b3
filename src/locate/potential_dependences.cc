#include "locate/potential_dependences.h"

#include <algorithm>

#include "locate/graph_nodes.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::AccessRecord;
using format::OperationKind;
using format::PlaceKind;

namespace {

constexpr Execution kMostBetween = 2'000;       // block executions between the write and the read
constexpr uint32_t kMostVisited = 64;           // of a read, nearest first
constexpr uint64_t kMostLookedAt = 20'000'000;  // in all

bool writes_cells(const program::ProgramModel& model, uint32_t operation, uint32_t cell, uint32_t cells) {
  const auto accesses = model.accesses_of(operation);
  return std::any_of(accesses.begin(), accesses.end(), [&](const AccessRecord& each) {
    return each.place == PlaceKind::kCells && (each.flags & format::kAccessWrites) != 0 && each.value < cell + cells &&
           cell < each.value + each.cells;
  });
}

}  // namespace

const std::vector<uint32_t>& PotentialDependences::branches_before_writes(uint32_t function, uint32_t cell,
                                                                          uint32_t cells) {
  const auto [known, fresh] = branches_.try_emplace(uint64_t{cell} << 32 | cells);
  std::vector<uint32_t>& branches = known->second;
  if (!fresh) return branches;
  const program::ProgramModel& model = graph_.model();
  for (const uint32_t block : model.blocks_of(function)) {
    const program::Indices operations = model.operations_of(block);
    const bool writes = std::any_of(operations.begin(), operations.end(),
                                    [&](uint32_t each) { return writes_cells(model, each, cell, cells); });
    if (!writes) continue;
    for (const auto& dependence : model.dependences_of(block)) {
      const uint32_t branch = model.source_of_edge(dependence.edge);
      if (std::find(branches.begin(), branches.end(), branch) == branches.end()) branches.push_back(branch);
    }
  }
  return branches;
}

void PotentialDependences::for_each(Node read, const std::function<void(Node branch)>& visit) {
  if (kind_of(graph_, read) != OperationKind::kLoad || looked_at_ > kMostLookedAt) return;
  const program::ProgramModel& model = graph_.model();
  const auto accesses = model.accesses_of(read.operation());
  if (accesses.size() != 1 || accesses.front().place != PlaceKind::kCells) return;
  const uint32_t frame = graph_.execution(read.execution()).frame;
  Node written = depend::kNoNode;
  bool is_own = true;
  graph_.for_each_memory_source(read, [&](Node source) {
    is_own = is_own && source.execution() < read.execution() && graph_.execution(source.execution()).frame == frame;
    if (written == depend::kNoNode || written < source) written = source;
  });
  if (!is_own || written == depend::kNoNode || read.execution() - written.execution() > kMostBetween) return;
  const uint32_t function = model.function_of_block(graph_.block_of(read.execution()));
  const std::vector<uint32_t>& branches =
      branches_before_writes(function, accesses.front().value, accesses.front().cells);
  if (branches.empty()) return;
  uint32_t visited = 0;
  for (Execution each = read.execution(); each-- > written.execution() && visited < kMostVisited;) {
    ++looked_at_;
    const depend::BlockExecution execution = graph_.execution(each);
    if (execution.frame != frame) continue;
    if (std::find(branches.begin(), branches.end(), execution.block) == branches.end()) continue;
    const uint32_t last = model.operations_of(execution.block).back();
    if (model.operation(last).kind == OperationKind::kBranch) ++visited, visit(Node::of(each, last));
  }
}

}  // namespace culprit
