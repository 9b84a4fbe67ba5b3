// Alignment of generated executions against brute force. The reference for precise ids walks the program with all calls
// inlined and all loops unrolled as an explicit graph, made as it is walked; the one for structural indices keeps the
// whole stack of regions, without counters and elided pushes (MI fig. 8).
#include "index/alignment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "index/generated_program.h"
#include "program/control_dependence.h"
#include "program/dominators.h"
#include "program/execution_order.h"
#include "program/loop_forest.h"

namespace culprit {
namespace {

using program::kNoBlock;
using program::kNoLoop;

/// Copies of blocks in the unrolled graph. A loop's iterations are copies of its body that hang below each other.
class Unrolled {
 public:
  explicit Unrolled(const GeneratedProgram& program) {
    for (const auto& graph : program.functions) forests_.push_back(program::loop_forest(graph));
  }

  /// Which copy of the innermost loop's body a block belongs to: the loop, the copy that the loop stands in, how many
  /// copies of the same loop come before.
  struct Body {
    uint32_t function, loop;
    int outer;
    int copy;
    auto operator<=>(const Body&) const = default;
  };

  int body_after(uint32_t function, int body, uint32_t from, uint32_t to) {
    const program::LoopForest& forest = forests_[function];
    // Leave the loops that do not hold the target.
    while (body >= 0 && !program::contains(forest, bodies_[body].loop, to)) body = bodies_[body].outer;
    // Arriving at a header of the loop that is left standing goes to the next copy.
    if (body >= 0 && from != kNoBlock && program::begins_iteration(forest, bodies_[body].loop, to)) {
      const Body here = bodies_[body];
      return number({function, here.loop, here.outer, here.copy + 1});
    }
    // Enter the loops around the target, outermost first.
    std::vector<uint32_t> chain;
    for (uint32_t loop = forest.innermost[to]; loop != kNoLoop; loop = forest.loops[loop].parent) {
      if (body >= 0 && bodies_[body].loop == loop) break;
      chain.insert(chain.begin(), loop);
    }
    for (const uint32_t loop : chain) body = number({function, loop, body, 0});
    return body;
  }

 private:
  int number(const Body& body) {
    const auto [at, is_new] = numbers_.emplace(body, static_cast<int>(bodies_.size()));
    if (is_new) bodies_.push_back(body);
    return at->second;
  }

  std::vector<program::LoopForest> forests_;
  std::vector<Body> bodies_;
  std::map<Body, int> numbers_;
};

struct Labelled {
  std::vector<std::vector<int>> precise;
  std::vector<std::vector<int>> structural;
};

/// The labels of an execution's points, in order.
Labelled label(const GeneratedProgram& program, Unrolled& unrolled, ControlSource& source) {
  struct Frame {
    uint32_t function;
    uint32_t block = kNoBlock;
    int body = -1;
    int call = 0, entries = 0;
    std::vector<std::pair<uint32_t, uint32_t>> regions{};  ///< edge, closing block
  };
  std::vector<program::PostDominators> post_dominators;
  for (const auto& graph : program.functions) post_dominators.push_back(program::post_dominators(graph));
  Labelled labels;
  std::vector<Frame> frames;
  while (true) {
    const ControlEvent event = source.next();
    if (event.kind == ControlKind::kEnd) return labels;
    if (event.kind == ControlKind::kLeave) {
      frames.pop_back();
      continue;
    }
    if (event.kind == ControlKind::kEnter) {
      uint32_t function = 0;
      if (!frames.empty()) {
        Frame& caller = frames.back();
        const int call = static_cast<int>(event.number) + 1;
        caller.entries = caller.call == call ? caller.entries + 1 : 0;
        caller.call = call;
        function = program.callees[program.first_block[caller.function] + caller.block][event.number];
      }
      frames.push_back({.function = function});
      continue;
    }
    Frame& frame = frames.back();
    const uint32_t to = event.number - program.first_block[frame.function];
    const auto& graph = program.functions[frame.function];
    const auto& immediate = post_dominators[frame.function].immediate;
    while (!frame.regions.empty() && frame.regions.back().second == to) frame.regions.pop_back();
    if (frame.block != kNoBlock && graph.successors(frame.block).size() > 1) {
      uint32_t edge = graph.first_edge[frame.block];
      while (graph.targets[edge] != to) ++edge;
      // A branch that its own post-dominator follows has an empty region on this side.
      if (immediate[frame.block] != to) frame.regions.emplace_back(edge, immediate[frame.block]);
    }
    frame.body = unrolled.body_after(frame.function, frame.body, frame.block, to);
    frame.block = to;
    frame.call = frame.entries = 0;
    std::vector<int> precise, structural;
    for (const Frame& each : frames) {
      for (const int part : {static_cast<int>(each.function), static_cast<int>(each.block), each.call, each.entries}) {
        precise.push_back(part);
        structural.push_back(part);
      }
      precise.push_back(each.body);
      for (const auto& [edge, closing] : each.regions) structural.push_back(static_cast<int>(edge));
      structural.push_back(-1);
    }
    labels.precise.push_back(std::move(precise));
    labels.structural.push_back(std::move(structural));
  }
}

struct Pair {
  GeneratedProgram program;
  uint32_t seed;
  static constexpr uint64_t kBlocks = 400;

  GeneratedExecution left() const { return {program, seed, seed + 1000, 7, kBlocks}; }
  GeneratedExecution right() const { return {program, seed, seed + 2000, 7, kBlocks}; }
};

Pair make_pair(uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t functions = 1 + random() % 4;
  return {generate_program(random, functions, 12, seed % 2 == 0), seed};
}

/// Whether every block leads to a return. Control that never branches again leaves no trace in a structural index.
bool always_ends(const GeneratedProgram& program) {
  return std::all_of(program.functions.begin(), program.functions.end(),
                     [](const program::FlowGraph& graph) { return culprit::always_ends(graph); });
}

constexpr uint32_t kPairs = 600;

using Labels = std::vector<std::vector<int>>;

/// Pairs of positions whose labels are equal.
std::vector<std::pair<size_t, size_t>> equal_positions(const Labels& left, const Labels& right) {
  std::map<std::vector<int>, size_t> where;
  for (size_t at = 0; at < right.size(); ++at) where.emplace(right[at], at);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t at = 0; at < left.size(); ++at) {
    const auto found = where.find(left[at]);
    if (found != where.end()) pairs.emplace_back(at, found->second);
  }
  return pairs;
}

std::vector<std::pair<size_t, size_t>> aligned_positions(const Pair& pair, AlignmentKind kind) {
  GeneratedExecution left = pair.left(), right = pair.right();
  const FlowTables tables(pair.program.functions);
  Alignment alignment(left, right, tables, kind);
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t left_at = 0, right_at = 0;
  while (true) {
    const auto which = alignment.next();
    if (which == Alignment::Which::kEnd) break;
    if (which == Alignment::Which::kBoth) pairs.emplace_back(left_at, right_at);
    left_at += which != Alignment::Which::kRight;
    right_at += which != Alignment::Which::kLeft;
  }
  return pairs;
}

TEST(Alignment, IdsAreUniqueInOneExecution) {
  for (uint32_t seed = 0; seed < kPairs; ++seed) {
    const Pair pair = make_pair(seed);
    Unrolled unrolled(pair.program);
    GeneratedExecution execution = pair.left();
    const Labelled labels = label(pair.program, unrolled, execution);
    EXPECT_EQ(std::set(labels.precise.begin(), labels.precise.end()).size(), labels.precise.size()) << seed;
    if (!always_ends(pair.program)) continue;
    EXPECT_EQ(std::set(labels.structural.begin(), labels.structural.end()).size(), labels.structural.size()) << seed;
  }
}

TEST(Alignment, PreciseIsWhereTheUnrolledProgramAgrees) {
  size_t with_differences = 0;
  for (uint32_t seed = 0; seed < kPairs; ++seed) {
    const Pair pair = make_pair(seed);
    Unrolled unrolled(pair.program);
    GeneratedExecution left = pair.left(), right = pair.right();
    const Labels left_labels = label(pair.program, unrolled, left).precise;
    const Labels right_labels = label(pair.program, unrolled, right).precise;
    const auto expected = equal_positions(left_labels, right_labels);
    EXPECT_EQ(aligned_positions(pair, AlignmentKind::kPrecise), expected) << seed;
    with_differences += expected.size() != left_labels.size() && expected.size() > 10;
  }
  EXPECT_GT(with_differences, 100u) << "the pairs hardly differ";
}

// Loops that are tangled (one nests the other by its headers, the other way round by post-dominance) make structural
// indices agree at points that are in different iterations by precise ids; those are no pairs.
TEST(Alignment, StructuralIsWhereAllRegionsAgreeToo) {
  size_t finer = 0, programs = 0;
  for (uint32_t seed = 0; seed < 20 * kPairs; ++seed) {
    const Pair pair = make_pair(seed);
    if (!always_ends(pair.program)) continue;
    ++programs;
    Unrolled unrolled(pair.program);
    GeneratedExecution left = pair.left(), right = pair.right();
    const Labelled left_labels = label(pair.program, unrolled, left);
    const Labelled right_labels = label(pair.program, unrolled, right);
    auto expected = equal_positions(left_labels.structural, right_labels.structural);
    std::erase_if(expected,
                  [&](const auto& at) { return left_labels.precise[at.first] != right_labels.precise[at.second]; });
    EXPECT_EQ(aligned_positions(pair, AlignmentKind::kStructural), expected) << seed;
    finer += aligned_positions(pair, AlignmentKind::kPrecise).size() > expected.size();
  }
  EXPECT_GT(programs, 200u);
  EXPECT_GT(finer, 20u) << "EPID figure 4 is not among the pairs";
}

// FIC definition 8, and with it theorem 1 and property 2.
TEST(Alignment, PreservesOrder) {
  for (const AlignmentKind kind : {AlignmentKind::kPrecise, AlignmentKind::kStructural}) {
    for (uint32_t seed = 0; seed < kPairs; ++seed) {
      const auto pairs = aligned_positions(make_pair(seed), kind);
      for (size_t at = 1; at < pairs.size(); ++at) {
        EXPECT_LT(pairs[at - 1].first, pairs[at].first) << seed;
        EXPECT_LT(pairs[at - 1].second, pairs[at].second) << seed;
      }
    }
  }
}

TEST(Alignment, AnExecutionAlignsWithItself) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Pair pair = make_pair(seed);
    GeneratedExecution left = pair.left(), right = pair.left();
    const FlowTables tables(pair.program.functions);
    Alignment alignment(left, right, tables, AlignmentKind::kStructural);
    const AlignmentCount count = count_aligned(alignment);
    EXPECT_GT(count.both, 0u);
    EXPECT_EQ(count.left_only + count.right_only, 0u) << seed;
  }
}

}  // namespace
}  // namespace culprit
