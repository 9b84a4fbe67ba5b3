// Dominators, post-dominators and control dependence against their definitions on random graphs.
#include "program/dominators.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "program/control_dependence.h"
#include "program/random_graphs.h"

namespace culprit::program {
namespace {

constexpr int kRounds = 4000;

TEST(Dominators, RemovingADominatorCutsEveryPath) {
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    const FlowGraph graph = random_graph(random, 14);
    const auto immediate = immediate_dominators(graph, 0);
    for (uint32_t below = 0; below < graph.size(); ++below) {
      const bool reachable = has_path(graph, 0, below);
      if (below == 0 || !reachable) {
        EXPECT_EQ(immediate[below], kNoBlock);
        continue;
      }
      for (uint32_t above = 0; above < graph.size(); ++above) {
        const bool dominates = above == below || !has_path(graph, 0, below, above);
        if (!has_path(graph, 0, above)) continue;
        ASSERT_EQ(is_ancestor(immediate, above, below), dominates) << "round " << round;
      }
    }
  }
}

/// The graph with the virtual exit as one more block.
FlowGraph with_virtual_exit(const FlowGraph& graph, const std::vector<uint32_t>& exits) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (const uint32_t target : graph.successors(block)) edges.emplace_back(block, target);
  }
  for (const uint32_t exit : exits) edges.emplace_back(exit, graph.size());
  return make_graph(graph.size() + 1, edges);
}

bool post_dominates_by_definition(const FlowGraph& closed, uint32_t above, uint32_t below) {
  return above == below || !has_path(closed, below, closed.size() - 1, above);
}

TEST(PostDominators, ExitsAreReturnsAndOneBlockOfEveryEndlessLoop) {
  std::mt19937 random(2);
  int endless = 0;
  for (int round = 0; round < kRounds; ++round) {
    const FlowGraph graph = random_graph(random, 14);
    const auto result = post_dominators(graph);
    ASSERT_TRUE(std::is_sorted(result.exits.begin(), result.exits.end()));
    for (uint32_t block = 0; block < graph.size(); ++block) {
      // An inescapable block is one to which all that it reaches can return; exactly one of those is an exit.
      std::vector<uint32_t> reached;
      for (uint32_t other = 0; other < graph.size(); ++other) {
        if (has_path(graph, block, other)) reached.push_back(other);
      }
      const bool inescapable =
          std::all_of(reached.begin(), reached.end(), [&](uint32_t other) { return has_path(graph, other, block); });
      const auto exits = std::count_if(reached.begin(), reached.end(), [&](uint32_t other) {
        return std::binary_search(result.exits.begin(), result.exits.end(), other);
      });
      if (inescapable) {
        ASSERT_EQ(exits, 1);
        endless += !graph.successors(block).empty();
      } else {
        ASSERT_FALSE(std::binary_search(result.exits.begin(), result.exits.end(), block));
        ASSERT_GE(exits, 1);
      }
    }
  }
  EXPECT_GT(endless, kRounds);  // the generator does make endless loops
}

TEST(PostDominators, RemovingAPostDominatorCutsEveryPathToTheExit) {
  std::mt19937 random(3);
  for (int round = 0; round < kRounds; ++round) {
    const FlowGraph graph = random_graph(random, 14);
    const auto result = post_dominators(graph);
    const FlowGraph closed = with_virtual_exit(graph, result.exits);
    for (uint32_t below = 0; below < graph.size(); ++below) {
      for (uint32_t above = 0; above <= graph.size(); ++above) {
        const bool expected = above == graph.size() || post_dominates_by_definition(closed, above, below);
        ASSERT_EQ(is_ancestor(result.immediate, above, below), expected) << "round " << round;
      }
    }
  }
}

TEST(PostDominators, AnEndlessLoopLeavesAtItsHeader) {
  // 0 → 1 (header) → {2, 3} → 4 → 1
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}};
  const auto result = post_dominators(make_graph(5, edges));
  EXPECT_EQ(result.exits, std::vector<uint32_t>{1});
  EXPECT_EQ(result.immediate, (std::vector<uint32_t>{1, 5, 4, 4, 1}));
}

TEST(PostDominators, WhatComesAfterALoopThatMayStayDependsOnItsExit) {
  // 0 → 1 (while) → {2 (waits), 3}; 2 → 1
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}};
  const FlowGraph graph = make_graph(4, edges);
  EXPECT_TRUE(control_dependence(graph, post_dominators(graph)).of(3).empty());
  const std::vector<uint32_t> may_stay{2};
  const auto result = post_dominators(graph, may_stay);
  EXPECT_EQ(result.exits, (std::vector<uint32_t>{2, 3}));
  const auto dependence = control_dependence(graph, result);
  const auto found = dependence.of(3);
  EXPECT_EQ(std::vector<uint32_t>(found.begin(), found.end()), std::vector<uint32_t>{2});
}

TEST(ControlDependence, AgreesWithItsDefinition) {
  std::mt19937 random(4);
  for (int round = 0; round < kRounds; ++round) {
    const FlowGraph graph = random_graph(random, 12);
    const auto result = post_dominators(graph);
    const auto dependence = control_dependence(graph, result);
    const FlowGraph closed = with_virtual_exit(graph, result.exits);
    for (uint32_t block = 0; block < graph.size(); ++block) {
      std::vector<uint32_t> expected;
      for (uint32_t source = 0; source < graph.size(); ++source) {
        const bool strictly = block != source && post_dominates_by_definition(closed, block, source);
        for (uint32_t edge = graph.first_edge[source]; edge < graph.first_edge[source + 1]; ++edge) {
          if (!strictly && post_dominates_by_definition(closed, block, graph.targets[edge])) expected.push_back(edge);
        }
      }
      const auto actual = dependence.of(block);
      ASSERT_EQ(std::vector<uint32_t>(actual.begin(), actual.end()), expected) << "round " << round;
    }
  }
}

TEST(ControlDependence, OfAWhileLoopWithABranch) {
  // 0 → 1 (while) → {2 (if) , 5}; 2 → {3, 4}; 3 → 4 → 1
  const std::vector<std::pair<uint32_t, uint32_t>> edges{{0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 4}, {4, 1}};
  const FlowGraph graph = make_graph(6, edges);
  const auto dependence = control_dependence(graph, post_dominators(graph));
  const auto of = [&](uint32_t block) {
    const auto found = dependence.of(block);
    return std::vector<uint32_t>(found.begin(), found.end());
  };
  EXPECT_EQ(of(0), std::vector<uint32_t>{});
  EXPECT_EQ(of(1), std::vector<uint32_t>{1});  // the next test depends on the last one
  EXPECT_EQ(of(2), std::vector<uint32_t>{1});
  EXPECT_EQ(of(3), std::vector<uint32_t>{3});
  EXPECT_EQ(of(4), std::vector<uint32_t>{1});
  EXPECT_EQ(of(5), std::vector<uint32_t>{});
}

TEST(Dominators, LongChainsAreQuick) {
  // A ladder of 100,000 blocks with a jump back from each tenth: quadratic algorithms would not end.
  constexpr uint32_t kSize = 100'000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t block = 0; block + 1 < kSize; ++block) {
    edges.emplace_back(block, block + 1);
    if (block % 10 == 9) edges.emplace_back(block, block - 7);
  }
  const FlowGraph graph = make_graph(kSize, edges);
  const auto immediate = immediate_dominators(graph, 0);
  const auto post = post_dominators(graph);
  for (uint32_t block = 1; block < kSize; ++block) ASSERT_EQ(immediate[block], block - 1);
  for (uint32_t block = 0; block < kSize; ++block) ASSERT_EQ(post.immediate[block], block + 1);
}

}  // namespace
}  // namespace culprit::program
