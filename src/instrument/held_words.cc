#include "instrument/held_words.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>

namespace culprit {
namespace {

constexpr uint64_t kAnything = 0;

uint64_t iteration_of(uint32_t loop) {
  return 2 * uint64_t{loop} + 1;
}
uint64_t call_word_of(uint32_t site) {
  return 2 * uint64_t{site} + 2;
}

}  // namespace

bool may_count_entries(const PointCallSite& call) {
  if (call.role != CallRole::kDirect) return call.role == CallRole::kOpen;
  return llvm::any_of(*call.callee, [](const llvm::BasicBlock& block) {
    return block.getTerminatingMustTailCall() || llvm::any_of(block, [](const llvm::Instruction& instruction) {
             const auto* inner = llvm::dyn_cast<llvm::CallInst>(&instruction);
             return inner && inner->canReturnTwice();
           });
  });
}

std::vector<uint32_t> loops_around(const program::LoopForest& forest, uint32_t block) {
  std::vector<uint32_t> loops;
  for (uint32_t loop = forest.innermost[block]; loop != program::kNoLoop; loop = forest.loops[loop].parent) {
    loops.insert(loops.begin(), loop);
  }
  return loops;
}

HeldWords::HeldWords(const PointFunction& function, const FunctionFlow& flow, const program::LoopForest& forest,
                     const std::vector<bool>& at_header)
    : function_(function), flow_(flow), forest_(forest), at_header_(at_header), calls_(flow.blocks.size()) {
  for (const PointCallSite& call : function.calls) {
    calls_[flow.number.lookup(call.call->getParent())].push_back(&call);
    most_ = std::max(most_, wanted(call).size());
  }
  // What follows calls that do not return is not reached, but is there.
  for (const PointCallSite& call : function.calls) missing_[call.call] = std::vector<bool>(wanted(call).size(), true);
  // Grows less known until nothing changes; blocks not reached yet say nothing.
  std::vector<std::optional<Content>> at_entry(flow.blocks.size());
  std::vector<uint32_t> open{0};
  at_entry[0] = Content(most_, kAnything);
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    Content content = *at_entry[block];
    enter(block, content);
    for (const PointCallSite* call : calls_[block]) pass(*call, content);
    for (const uint32_t next : flow.graph.successors(block)) {
      Content meeting = content;
      if (at_entry[next]) {
        for (size_t word = 0; word < most_; ++word) {
          if (meeting[word] != (*at_entry[next])[word]) meeting[word] = kAnything;
        }
      }
      if (at_entry[next] == meeting) continue;
      at_entry[next] = std::move(meeting);
      open.push_back(next);
    }
  }
}

void HeldWords::enter(uint32_t block, Content& content) const {
  // Second returns come from anywhere, and so does control that arrives in landing pads.
  if (function_.returns_twice || flow_.blocks[block]->isLandingPad()) std::ranges::fill(content, kAnything);
  const std::vector<uint32_t> loops = loops_around(forest_, block);
  for (size_t depth = 0; depth < loops.size(); ++depth) {
    const std::vector<uint32_t>& headers = forest_.loops[loops[depth]].headers;
    if (!std::ranges::binary_search(headers, block)) continue;
    std::ranges::replace(content, iteration_of(loops[depth]), kAnything);
    if (at_header_[loops[depth]] && depth < most_) content[depth] = iteration_of(loops[depth]);
  }
}

HeldWords::Content HeldWords::wanted(const PointCallSite& call) const {
  if (call.call->isMustTailCall()) return {};
  Content content;
  for (const uint32_t loop : loops_around(forest_, flow_.number.lookup(call.call->getParent()))) {
    content.push_back(iteration_of(loop));
  }
  content.push_back(call_word_of(call.site));
  return content;
}

void HeldWords::pass(const PointCallSite& call, Content& content) {
  const Content words = wanted(call);
  std::vector<bool> missing(words.size());
  for (size_t word = 0; word < words.size(); ++word) missing[word] = content[word] != words[word];
  missing_[call.call] = std::move(missing);
  std::ranges::copy(words, content.begin());
  // The callee's words lie behind.
  std::fill(content.begin() + static_cast<std::ptrdiff_t>(words.size()), content.end(), kAnything);
  if (!words.empty() && may_count_entries(call)) content[words.size() - 1] = kAnything;
}

}  // namespace culprit
