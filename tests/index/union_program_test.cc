// The union of two versions: of generated functions whose versions are known to correspond, and of small ones by hand.
#include "index/union_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <random>

#include "index/alignment.h"
#include "index/generated_program.h"
#include "index/version_model.h"
#include "temporary_directory.h"

namespace culprit {
namespace {

using format::StatementKind;
using program::ProgramModel;
using tests::VersionBlock;
using tests::VersionFunction;

/// One version of a generated function: its blocks, some of them with another text, and more on some of the edges.
struct Edited {
  VersionFunction function{.symbol = "f", .file = "f.c", .blocks = {}};
  std::string text;
  std::vector<uint32_t> block_of;                              ///< by block of the original
  std::vector<std::vector<std::optional<uint32_t>>> inserted;  ///< by block and edge of the original
};

Edited edit(const program::FlowGraph& graph, std::mt19937& random, const std::string& name, StatementKind own_kind) {
  Edited version;
  std::vector<VersionBlock>& blocks = version.function.blocks;
  version.block_of.resize(graph.size());
  version.inserted.resize(graph.size());
  uint32_t line = 0;
  const auto add_line = [&](const std::string& text) {
    version.text += text + "\n";
    return ++line;
  };
  for (uint32_t block = 0; block < graph.size(); ++block) {
    version.block_of[block] = static_cast<uint32_t>(blocks.size());
    const std::string changed = random() % 4 == 0 ? " " + name : "";
    blocks.push_back({.lines = {add_line("the original's block " + std::to_string(block) + changed)}, .targets = {}});
    for (uint32_t edge = 0; edge < graph.successors(block).size(); ++edge) {
      version.inserted[block].emplace_back();
      if (random() % 6 != 0) continue;
      version.inserted[block].back() = static_cast<uint32_t>(blocks.size());
      blocks.push_back(
          {.lines = {add_line(name + std::to_string(block * 100 + edge))}, .targets = {}, .kind = own_kind});
    }
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (uint32_t edge = 0; edge < graph.successors(block).size(); ++edge) {
      uint32_t target = version.block_of[graph.successors(block)[edge]];
      if (const auto between = version.inserted[block][edge]) {
        blocks[*between].targets = {target};
        target = *between;
      }
      blocks[version.block_of[block]].targets.push_back(target);
    }
  }
  return version;
}

/// A walk that is given, in nodes of the union.
class GivenWalk : public ControlSource {
 public:
  GivenWalk(const VersionNumbers& version, const std::vector<uint32_t>& blocks) {
    for (const uint32_t block : blocks) nodes_.push_back(version.pieces[version.first_piece[block]].node);
  }
  ControlEvent next() override {
    return next_ < nodes_.size() ? ControlEvent{ControlKind::kBlock, nodes_[next_++]} : ControlEvent{};
  }

 private:
  std::vector<uint32_t> nodes_;
  size_t next_ = 0;
};

ProgramModel model_of(const std::filesystem::path& folder, const Edited& version) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "f.c") << version.text;
  return tests::version_model(folder, {version.function});
}

/// Of each version, the blocks that it executes when both decide alike; returns how many are of the original.
size_t walk(const program::FlowGraph& graph, std::mt19937& random, const Edited& left, const Edited& right,
            std::vector<uint32_t>& left_blocks, std::vector<uint32_t>& right_blocks) {
  size_t originals = 0;
  for (uint32_t block = 0; originals < 200;) {
    ++originals;
    left_blocks.push_back(left.block_of[block]);
    right_blocks.push_back(right.block_of[block]);
    const auto targets = graph.successors(block);
    if (targets.empty()) break;
    const auto edge = static_cast<uint32_t>(random() % targets.size());
    if (const auto between = left.inserted[block][edge]) left_blocks.push_back(*between);
    if (const auto between = right.inserted[block][edge]) right_blocks.push_back(*between);
    block = targets[edge];
  }
  return originals;
}

TEST(UnionProgram, WhatBothVersionsHaveCorresponds) {
  std::mt19937 random(7);
  size_t changed = 0;
  for (int round = 0; round < 150; ++round) {
    const GeneratedProgram program = generate_program(random, 1, 14, false);
    const program::FlowGraph& graph = program.functions.front();
    const tests::TemporaryDirectory place;
    const Edited left = edit(graph, random, "left", StatementKind::kAssignment);
    const Edited right = edit(graph, random, "right", StatementKind::kExpression);
    const ProgramModel left_model = model_of(place.path() / "left", left);
    const ProgramModel right_model = model_of(place.path() / "right", right);
    const UnionProgram both(left_model, right_model);
    EXPECT_THAT(both.unknown_texts(), testing::IsEmpty());
    ASSERT_EQ(both.nodes() + graph.size(), left.function.blocks.size() + right.function.blocks.size()) << round;
    changed += both.changes().size();
    std::vector<uint32_t> left_blocks, right_blocks;
    const size_t originals = walk(graph, random, left, right, left_blocks, right_blocks);
    GivenWalk left_walk(both.version(true), left_blocks), right_walk(both.version(false), right_blocks);
    Alignment alignment(left_walk, right_walk, both.tables(), AlignmentKind::kPrecise);
    const AlignmentCount count = count_aligned(alignment);
    EXPECT_EQ(count.both, originals) << round;
    EXPECT_EQ(count.left_only, left_blocks.size() - originals) << round;
    EXPECT_EQ(count.right_only, right_blocks.size() - originals) << round;
  }
  EXPECT_GT(changed, 100u);
}

TEST(UnionProgram, OfOneVersionIsThatVersion) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    const GeneratedProgram program = generate_program(random, 1, 14, false);
    const tests::TemporaryDirectory place;
    const Edited version = edit(program.functions.front(), random, "own", StatementKind::kAssignment);
    // Compiled from one path: without lines, by their order alone.
    const ProgramModel left = model_of(place.path() / "one", version), right = model_of(place.path() / "one", version);
    const ProgramModel copy = model_of(place.path() / "copy", version);
    for (const ProgramModel* other : {&right, &copy}) {
      const UnionProgram both(left, *other);
      EXPECT_EQ(both.nodes(), version.function.blocks.size());
      EXPECT_THAT(both.changes(), testing::IsEmpty());
      EXPECT_THAT(both.unknown_texts(), testing::SizeIs(other == &right ? 1 : 0));
      for (uint32_t node = 0; node < both.nodes(); ++node) {
        EXPECT_EQ(both.version(true).node_statement[node], both.version(false).node_statement[node]);
      }
    }
  }
}

TEST(UnionProgram, BlocksThatAreCutCorrespondInParts) {
  const tests::TemporaryDirectory place;
  for (const char* name : {"old", "new"}) std::filesystem::create_directories(place.path() / name);
  std::ofstream(place.path() / "old" / "f.c") << "enter\nfirst\nsecond\nleave\n";
  std::ofstream(place.path() / "new" / "f.c") << "enter\nfirst\nif it is so\nsecond\nleave\n";
  const ProgramModel left = tests::version_model(place.path() / "old", {{"f", "f.c", {{{1, 2, 3, 4}, {}}}}});
  const ProgramModel right =
      tests::version_model(place.path() / "new", {{"f", "f.c", {{{1, 2, 3}, {1, 2}}, {{}, {2}}, {{4, 5}, {}}}}});
  const UnionProgram both(left, right);
  EXPECT_EQ(both.nodes(), 6u);  // four statements, the test, the block behind it
  ASSERT_EQ(both.changes().size(), 1u);
  EXPECT_THAT(both.changes()[0].left_lines, testing::IsEmpty());
  EXPECT_THAT(both.changes()[0].right_lines, testing::ElementsAre(3));
  // The operation of the third line has the number of that of the fourth.
  EXPECT_EQ(both.version(true).operation[2], both.version(false).operation[3]);
  EXPECT_EQ(both.version(true).own_operation[both.version(false).operation[2]], format::kNone);
}

TEST(UnionProgram, BlocksInAnotherOrderCorrespondByTheirDecision) {
  const tests::TemporaryDirectory place;
  for (const char* name : {"old", "new"}) {
    std::filesystem::create_directories(place.path() / name);
    std::ofstream(place.path() / name / "f.c") << "enter\nfirst\nsecond\n";
  }
  const ProgramModel left =
      tests::version_model(place.path() / "old", {{"f", "f.c", {{{1}, {1, 2}}, {{2}, {}}, {{3}, {}}}}});
  const ProgramModel right =
      tests::version_model(place.path() / "new", {{"f", "f.c", {{{1}, {2, 1}}, {{3}, {}}, {{2}, {}}}}});
  const UnionProgram both(left, right);
  EXPECT_EQ(both.nodes(), 3u);
  EXPECT_THAT(both.changes(), testing::IsEmpty());
}

TEST(UnionProgram, FunctionsCorrespondByNameAndFile) {
  const tests::TemporaryDirectory place;
  const auto function = [](const char* symbol, const char* file) { return VersionFunction{symbol, file, {{{1}, {}}}}; };
  for (const char* name : {"old", "new"}) {
    for (const char* file : {"a.c", "b.c", "c.c"}) {
      std::filesystem::create_directories(place.path() / name);
      std::ofstream(place.path() / name / file) << "code of " << file << "\n";
    }
  }
  const ProgramModel left = tests::version_model(
      place.path() / "old", {function("main", "a.c"), function("help", "a.c"), function("help.3", "b.c"),
                             function("gone", "b.c"), function("moved", "b.c")});
  const ProgramModel right = tests::version_model(
      place.path() / "new", {function("help", "b.c"), function("main", "a.c"), function("help.12", "a.c"),
                             function("help.13", "c.c"), function("moved", "c.c")});
  const UnionProgram both(left, right);
  EXPECT_EQ(both.version(true).pieces[1].node, both.version(false).pieces[2].node);
  EXPECT_EQ(both.version(true).pieces[2].node, both.version(false).pieces[0].node);
  EXPECT_EQ(both.version(true).pieces[4].node, both.version(false).pieces[4].node);
  ASSERT_EQ(both.changes().size(), 2u);
  EXPECT_EQ(both.changes()[0].left, 3u);
  EXPECT_FALSE(both.changes()[0].right);
  EXPECT_EQ(both.changes()[1].right, 3u);
  EXPECT_FALSE(both.changes()[1].left);
}

TEST(UnionProgram, SaysWhichTextsCannotBeRead) {
  const tests::TemporaryDirectory place;
  const std::vector<VersionFunction> functions{{"f", "f.c", {{{1, 2}, {}}}}};
  const ProgramModel left = tests::version_model(place.path() / "old", functions);
  const ProgramModel right = tests::version_model(place.path() / "new", functions);
  const UnionProgram both(left, right);
  EXPECT_EQ(both.nodes(), 2u);
  EXPECT_THAT(both.unknown_texts(), testing::ElementsAre(testing::HasSubstr("old/f.c")));
}

}  // namespace
}  // namespace culprit
