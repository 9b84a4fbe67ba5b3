// The loop forest: the paper's figures, and its defining properties on random graphs.
#include "program/loop_forest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "program/dominators.h"
#include "program/random_graphs.h"

namespace culprit::program {
namespace {

constexpr uint32_t kA = 0, kB = 1, kC = 2, kD = 3, kE = 4;

TEST(LoopForest, NaturalLoop) {
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{kA, kB}, {kB, kC}, {kC, kD}, {kD, kB}, {kB, kE}};
  const auto forest = loop_forest(make_graph(5, edges));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_TRUE(forest.loops[0].is_natural());
  EXPECT_EQ(forest.loops[0], (Loop{.headers = {kB}, .naturalising_header = kB}));
  EXPECT_EQ(forest.innermost, (std::vector<uint32_t>{kNoLoop, 0, 0, 0, kNoLoop}));
}

TEST(LoopForest, IrreducibleLoopWithANaturalisingHeader) {
  // (EPID fig. 9b): entered at B and D; every cycle passes B.
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{kA, kB}, {kA, kD}, {kB, kC}, {kC, kD}, {kD, kB}, {kD, kE}};
  const auto forest = loop_forest(make_graph(5, edges));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_FALSE(forest.loops[0].is_natural());
  EXPECT_EQ(forest.loops[0].headers, (std::vector<uint32_t>{kB, kD}));
  EXPECT_EQ(forest.loops[0].naturalising_header, kB);
}

TEST(LoopForest, IrreducibleLoopWithoutANaturalisingHeader) {
  // (EPID fig. 9c): entered at B, C and D, with the cycles B-C and C-D and B-D.
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{kA, kB}, {kA, kC}, {kA, kD}, {kB, kC}, {kC, kB},
                                                         {kC, kD}, {kD, kC}, {kB, kD}, {kD, kB}, {kD, kE}};
  const auto forest = loop_forest(make_graph(5, edges));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_EQ(forest.loops[0].headers, (std::vector<uint32_t>{kB, kC, kD}));
  EXPECT_EQ(forest.loops[0].naturalising_header, std::nullopt);
}

TEST(LoopForest, NestedInAnIrreducibleLoop) {
  // 0 → {1, 2}; 1 ↔ 2 is entered twice; 2 → 3 ⟲, 3 → 1
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 3}, {3, 1}};
  const auto forest = loop_forest(make_graph(4, edges));
  ASSERT_EQ(forest.loops.size(), 2u);
  EXPECT_EQ(forest.loops[0].headers, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(forest.loops[1], (Loop{.parent = 0, .headers = {3}, .naturalising_header = 3}));
  EXPECT_EQ(forest.innermost, (std::vector<uint32_t>{kNoLoop, 0, 0, 1}));
}

bool is_inside(const LoopForest& forest, uint32_t block, uint32_t loop) {
  for (uint32_t at = forest.innermost[block]; at != kNoLoop; at = forest.loops[at].parent) {
    if (at == loop) return true;
  }
  return false;
}

FlowGraph without_edges(const FlowGraph& graph, const auto& is_cut) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (const uint32_t target : graph.successors(block)) {
      if (!is_cut(block, target)) edges.emplace_back(block, target);
    }
  }
  return make_graph(graph.size(), edges);
}

class LoopForestProperties : public testing::TestWithParam<uint32_t> {};

TEST_P(LoopForestProperties, HoldOnRandomGraphs) {
  std::mt19937 random(GetParam());
  int irreducible = 0;
  for (int round = 0; round < 1500; ++round) {
    const FlowGraph graph = random_graph(random, 12);
    const auto forest = loop_forest(graph);
    const FlowGraph reachable =
        without_edges(graph, [&](uint32_t from, uint32_t) { return !has_path(graph, 0, from); });
    const auto dominators = immediate_dominators(graph, 0);

    // A block is in a loop exactly when it is reachable and on a cycle.
    for (uint32_t block = 0; block < graph.size(); ++block) {
      const bool on_cycle = has_path(graph, 0, block) && is_on_cycle(graph, block);
      ASSERT_EQ(forest.innermost[block] != kNoLoop, on_cycle);
    }
    // Cutting the edges to headers from inside their loops leaves no cycle at all.
    const FlowGraph cut = without_edges(reachable, [&](uint32_t from, uint32_t to) {
      for (uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
        const auto& headers = forest.loops[loop].headers;
        if (std::binary_search(headers.begin(), headers.end(), to) && is_inside(forest, from, loop)) return true;
      }
      return false;
    });
    for (uint32_t block = 0; block < graph.size(); ++block) ASSERT_FALSE(is_on_cycle(cut, block));

    for (uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
      const Loop& each = forest.loops[loop];
      irreducible += !each.is_natural();
      ASSERT_FALSE(each.headers.empty());
      ASSERT_TRUE(each.parent == kNoLoop || each.parent < loop);
      const auto outside = [&](uint32_t block) { return !is_inside(forest, block, loop); };
      const FlowGraph inner =
          without_edges(reachable, [&](uint32_t from, uint32_t to) { return outside(from) || outside(to); });
      for (uint32_t block = 0; block < graph.size(); ++block) {
        if (outside(block)) continue;
        // Strongly connected.
        for (uint32_t other = 0; other < graph.size(); ++other) {
          ASSERT_TRUE(outside(other) || has_path(inner, block, other));
        }
        // Headers are exactly the blocks entered from outside.
        bool entered = block == 0;
        for (uint32_t from = 0; from < graph.size(); ++from) {
          const auto next = reachable.successors(from);
          entered |= outside(from) && std::find(next.begin(), next.end(), block) != next.end();
        }
        const bool header = std::binary_search(each.headers.begin(), each.headers.end(), block);
        ASSERT_EQ(header, entered);
        ASSERT_TRUE(!each.is_natural() || is_ancestor(dominators, each.headers[0], block));
      }
      // A naturalising header is on every path from a header back to itself; if none is named, none is.
      const auto naturalises = [&](uint32_t candidate) {
        const FlowGraph rest = without_edges(inner, [&](uint32_t, uint32_t to) { return to == candidate; });
        return std::none_of(each.headers.begin(), each.headers.end(),
                            [&](uint32_t header) { return is_on_cycle(rest, header); });
      };
      if (each.naturalising_header) {
        ASSERT_TRUE(naturalises(*each.naturalising_header));
      } else {
        ASSERT_TRUE(std::none_of(each.headers.begin(), each.headers.end(), naturalises));
      }
    }
  }
  EXPECT_GT(irreducible, 100);  // the generator does make irreducible loops
}

INSTANTIATE_TEST_SUITE_P(Seeds, LoopForestProperties, testing::Values(1, 2, 3, 4));

TEST(LoopForest, DoesNotDependOnTheOrderOfEdges) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    const FlowGraph graph = random_graph(random, 12);
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t block = 0; block < graph.size(); ++block) {
      for (const uint32_t target : graph.successors(block)) edges.emplace_back(block, target);
    }
    std::shuffle(edges.begin(), edges.end(), random);
    const auto one = loop_forest(graph);
    const auto other = loop_forest(make_graph(graph.size(), edges));
    ASSERT_EQ(one.loops, other.loops);
    ASSERT_EQ(one.innermost, other.innermost);
  }
}

}  // namespace
}  // namespace culprit::program
