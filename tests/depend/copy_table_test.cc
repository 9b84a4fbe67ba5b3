// Definitions of bytes that were copied.
#include "depend/copy_table.h"

#include <gtest/gtest.h>

namespace culprit::depend {
namespace {

std::vector<Node> sources_of(CopyTable& table, uint64_t definition) {
  std::vector<Node> sources;
  table.add_sources(definition, sources);
  return sources;
}

TEST(CopyTable, ACopyComesBeforeWhatItCopied) {
  CopyTable table;
  const Node origin = Node::of(1, 10), first = Node::of(2, 20), second = Node::of(3, 30);
  const uint64_t copy = table.copied(second, table.copied(first, origin.bits));
  EXPECT_EQ(sources_of(table, copy), (std::vector<Node>{second, first, origin}));
}

TEST(CopyTable, ACopyOfUndefinedBytesIsTheirOrigin) {
  CopyTable table;
  const Node copier = Node::of(4, 40);
  EXPECT_EQ(sources_of(table, table.copied(copier, ShadowMemory::kUndefined)), std::vector<Node>{copier});
  EXPECT_TRUE(sources_of(table, ShadowMemory::kUndefined).empty());
}

TEST(CopyTable, SharedHistoriesAreLookedAtOnce) {
  CopyTable table;
  const uint64_t one = Node::of(1, 1).bits, other = Node::of(2, 2).bits;
  uint64_t definition = table.joined(one, other);
  for (uint32_t each = 0; each < 60; ++each) {
    const Node copier = Node::of(10 + each, 3);
    definition = table.joined(table.copied(copier, definition), table.copied(copier, one));
  }
  // Sixty copiers and two origins; by every path there would be 2^60 of them.
  EXPECT_EQ(sources_of(table, definition).size(), 62u);
}

}  // namespace
}  // namespace culprit::depend
