// What is written into the block is what the agent will read.
#include "session/control_block.h"

#include <gtest/gtest.h>

#include <cstring>

namespace culprit {
namespace {

TEST(ControlBlock, HoldsTheExperimentsInOrder) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kExperiments;
  setup.experiments = {{.instance = 3, .way = 1}, {.instance = 9, .way = 4, .scope = format::SwitchScope::kSameWay}};
  setup.expected_output = "good";
  const ControlBlock block(setup);
  ASSERT_EQ(block.experiments().size(), 2U);
  EXPECT_EQ(block.experiments()[1].instance, 9U);
  EXPECT_EQ(block.experiments()[1].way, 4U);
  EXPECT_EQ(block.experiments()[1].scope, format::SwitchScope::kSameWay);
  EXPECT_EQ(block.experiments()[0].finished, 0U);
  const auto* bytes = reinterpret_cast<const char*>(&block.head());
  EXPECT_EQ(std::memcmp(bytes + block.head().expected_offset, "good", 4), 0);
  EXPECT_EQ(block.head().expected_bytes, 4U);
}

TEST(ControlBlock, GivesAllRunsTheSameClock) {
  const ControlBlock one{ControlSetup{}}, other{ControlSetup{}};
  EXPECT_NE(one.head().clock, 0U);
  EXPECT_EQ(one.head().clock, other.head().clock);
}

TEST(ControlBlock, KeepsTheLastEntriesOfALongLog) {
  ControlSetup setup;
  setup.log_capacity = 4;
  const ControlBlock block(setup);
  auto* ring = reinterpret_cast<format::BranchEntry*>(reinterpret_cast<char*>(&block.head()) + block.head().log_offset);
  for (uint32_t instance = 1; instance <= 6; ++instance) ring[(instance - 1) % 4] = {.block = instance, .way = 0};
  block.head().branches = 6;
  const BranchLog log = block.branch_log();
  EXPECT_EQ(log.first_instance, 3U);
  ASSERT_EQ(log.entries.size(), 4U);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(log.entries[i].block, 3 + i);
}

}  // namespace
}  // namespace culprit
