#include "index/generated_program.h"

#include "program/dominators.h"
#include "program/random_graphs.h"

namespace culprit {

using program::kNoBlock;

bool always_ends(const program::FlowGraph& graph) {
  for (const uint32_t exit : program::post_dominators(graph).exits) {
    if (!graph.successors(exit).empty()) return false;
  }
  return true;
}

GeneratedProgram generate_program(std::mt19937& random, uint32_t functions, uint32_t largest_function, bool recursive,
                                  bool only_ending) {
  GeneratedProgram made;
  uint32_t blocks = 0;
  for (uint32_t function = 0; function < functions; ++function) {
    program::FlowGraph graph = program::random_graph(random, largest_function);
    while (only_ending && !always_ends(graph)) graph = program::random_graph(random, largest_function);
    made.functions.push_back(std::move(graph));
    made.first_block.push_back(blocks);
    blocks += made.functions.back().size();
    for (uint32_t block = 0; block < made.functions.back().size(); ++block) {
      auto& callees = made.callees.emplace_back();
      const uint32_t calls = random() % 4 == 0 ? 1 + random() % 2 : 0;
      for (uint32_t call = 0; call < calls; ++call) {
        if (recursive && random() % 4 == 0) {
          callees.push_back(random() % functions);
        } else if (function + 1 < functions) {
          callees.push_back(function + 1 + random() % (functions - function - 1));
        }
      }
    }
  }
  return made;
}

GeneratedExecution::GeneratedExecution(const GeneratedProgram& program, uint32_t same_seed, uint32_t seed,
                                       uint32_t differs, uint64_t blocks)
    : program_(program), same_(same_seed + 1), own_(seed + 1), differs_(differs), most_(blocks) {}

/// Both generators go on at every choice, so that executions come together again after they differed.
uint32_t GeneratedExecution::choose(uint32_t ways) {
  const uint32_t same = static_cast<uint32_t>(same_() >> 8), own = static_cast<uint32_t>(own_() >> 8);
  return (differs_ != 0 && own % differs_ == 0 ? own / differs_ : same) % ways;
}

ControlEvent GeneratedExecution::next() {
  if (!started_) {
    started_ = true;
    frames_.push_back({.function = 0, .block = kNoBlock, .next_call = 0});
    return {ControlKind::kEnter, 0};
  }
  if (frames_.empty() || is_over()) return {};
  Frame& frame = frames_.back();
  const program::FlowGraph& graph = program_.functions[frame.function];
  const uint32_t first = program_.first_block[frame.function];
  if (frame.block != kNoBlock) {
    const auto& callees = program_.callees[first + frame.block];
    if (frame.next_call < callees.size() && frames_.size() < 40) {
      const uint32_t call = frame.next_call++;
      frames_.push_back({.function = callees[call], .block = kNoBlock, .next_call = 0});
      return {ControlKind::kEnter, call};
    }
    const auto ways = graph.successors(frame.block);
    if (ways.empty()) {
      frames_.pop_back();
      return {ControlKind::kLeave, 0};
    }
    frame.block = ways[choose(static_cast<uint32_t>(ways.size()))];
  } else {
    frame.block = 0;
  }
  frame.next_call = 0;
  ++passed_;
  return {ControlKind::kBlock, first + frame.block};
}

}  // namespace culprit
