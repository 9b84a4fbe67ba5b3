// Where a run is stopped is chance: loops inside of the endless one begin and end all the time. Of the loops that the
// activations are in, the endless one is the outermost that still turns: in the last part of the log some branch went
// twice from one place in it, outside of the loops inside it, to another. What is around it waits. When the log tells
// of none, as of a loop around a call that waits, it is the innermost.
#include "locate/endless_loop.h"

#include <algorithm>
#include <unordered_set>

#include "locate/own_statements.h"

namespace culprit {
namespace {

constexpr size_t kLastPart = 2;  // of the log: one of so many

bool is_inside(const program::ProgramModel& model, uint32_t block, uint32_t loop) {
  uint32_t each = model.block(block).innermost_loop;
  while (each != program::kNone && each != loop) each = model.loop(each).parent;
  return each == loop;
}

/// The innermost loop that both blocks are in; kNone when there is none.
uint32_t loop_around(const program::ProgramModel& model, uint32_t block, uint32_t other) {
  uint32_t loop = model.block(block).innermost_loop;
  while (loop != program::kNone && !is_inside(model, other, loop)) loop = model.loop(loop).parent;
  return loop;
}

program::Indices blocks_of_function(const program::ProgramModel& model, uint32_t loop) {
  return model.blocks_of(model.function_of_block(model.headers_of(loop).front().block));
}

bool is_same_place(const format::AccessRecord& access, const format::AccessRecord& other) {
  return access.place == other.place && access.value == other.value && access.offset == other.offset;
}

/// Whether a block sets what the branch of another one tests.
bool sets_what_is_tested(const program::ProgramModel& model, uint32_t block, uint32_t tested) {
  for (const uint32_t operation : model.operations_of(block)) {
    for (const format::AccessRecord& access : model.accesses_of(operation)) {
      if ((access.flags & format::kAccessWrites) == 0) continue;
      for (const uint32_t each : model.operations_of(tested)) {
        const auto reads = model.accesses_of(each);
        if (std::any_of(reads.begin(), reads.end(), [&](const auto& read) { return is_same_place(access, read); }))
          return true;
      }
    }
  }
  return false;
}

/// The branches of the source that decided how a scope inside the loop is left, where the clean-up is one for all ways.
std::vector<uint32_t> decided_before(const program::ProgramModel& model, uint32_t clean_up, uint32_t loop) {
  std::vector<uint32_t> branches;
  for (const uint32_t block : blocks_of_function(model, loop)) {
    if (!is_inside(model, block, loop) || !sets_what_is_tested(model, block, clean_up)) continue;
    for (const auto& dependence : model.dependences_of(block)) {
      const uint32_t branch = model.source_of_edge(dependence.edge);
      if (is_inside(model, branch, loop) && !cleans_up(model, branch)) branches.push_back(branch);
    }
  }
  return branches;
}

std::vector<uint32_t> exits_of(const program::ProgramModel& model, uint32_t loop) {
  std::vector<uint32_t> exits;
  for (const uint32_t block : blocks_of_function(model, loop)) {
    if (!is_inside(model, block, loop)) continue;
    const program::Indices edges = model.edges_of(block);
    if (std::all_of(edges.begin(), edges.end(),
                    [&](uint32_t edge) { return is_inside(model, model.edge(edge).target, loop); })) {
      continue;
    }
    const auto of_source = cleans_up(model, block) ? decided_before(model, block, loop) : std::vector<uint32_t>{};
    if (of_source.empty()) exits.push_back(block);
    exits.insert(exits.end(), of_source.begin(), of_source.end());
  }
  std::sort(exits.begin(), exits.end());
  exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
  return exits;
}

}  // namespace

std::optional<EndlessLoop> endless_loop(const program::ProgramModel& model, const std::vector<Frame>& frames,
                                        const BranchLog& log) {
  std::unordered_set<uint64_t> once;     // branches with the way they went
  std::unordered_set<uint32_t> turning;  // loops
  for (size_t i = log.entries.size() - log.entries.size() / kLastPart; i < log.entries.size(); ++i) {
    const auto [block, way] = log.entries[i];
    if (way >= model.edges_of(block).size() || once.insert(uint64_t{block} << 32 | way).second) continue;
    turning.insert(loop_around(model, block, model.edge(model.edges_of(block)[way]).target));
  }
  const auto turns = [&](uint32_t loop) { return turning.contains(loop); };
  std::optional<EndlessLoop> innermost, endless;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].statement >= model.statements().size()) continue;
    uint32_t loop = model.block(model.block_of_statement(frames[i].statement)).innermost_loop;
    if (loop != program::kNone && !innermost) innermost = EndlessLoop{.loop = loop, .activation = i, .exits = {}};
    for (; loop != program::kNone; loop = model.loop(loop).parent) {
      if (turns(loop)) endless = EndlessLoop{.loop = loop, .activation = i, .exits = {}};
    }
  }
  if (!endless) endless = innermost;
  if (endless) endless->exits = exits_of(model, endless->loop);
  return endless;
}

}  // namespace culprit
