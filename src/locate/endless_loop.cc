// Where a run is stopped is chance: loops inside of the endless one begin and end all the time. Of the loops that the
// activations are in, the endless one is the outermost that still turns: in the last part of the log some branch of it
// was executed twice. What is around it waits. When the log tells of none, as of a loop around a call that waits, it is
// the innermost.
#include "locate/endless_loop.h"

#include <algorithm>

namespace culprit {
namespace {

constexpr size_t kLastPart = 2;  // of the log: one of so many

bool is_inside(const program::ProgramModel& model, uint32_t block, uint32_t loop) {
  uint32_t each = model.block(block).innermost_loop;
  while (each != program::kNone && each != loop) each = model.loop(each).parent;
  return each == loop;
}

program::Indices blocks_of_function(const program::ProgramModel& model, uint32_t loop) {
  return model.blocks_of(model.function_of_block(model.headers_of(loop).front().block));
}

std::vector<uint32_t> exits_of(const program::ProgramModel& model, uint32_t loop) {
  std::vector<uint32_t> exits;
  for (const uint32_t block : blocks_of_function(model, loop)) {
    if (!is_inside(model, block, loop)) continue;
    const program::Indices edges = model.edges_of(block);
    if (std::any_of(edges.begin(), edges.end(),
                    [&](uint32_t edge) { return !is_inside(model, model.edge(edge).target, loop); })) {
      exits.push_back(block);
    }
  }
  return exits;
}

}  // namespace

std::optional<EndlessLoop> endless_loop(const program::ProgramModel& model, const std::vector<Frame>& frames,
                                        const ControlBlock::BranchLog& log) {
  std::vector<uint8_t> executed(model.blocks().size());  // up to 2
  for (size_t i = log.entries.size() - log.entries.size() / kLastPart; i < log.entries.size(); ++i) {
    uint8_t& times = executed[log.entries[i].block];
    times = static_cast<uint8_t>(std::min(times + 1, 2));
  }
  const auto turns = [&](uint32_t loop) {
    const program::Indices blocks = blocks_of_function(model, loop);
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](uint32_t block) { return executed[block] == 2 && is_inside(model, block, loop); });
  };
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
