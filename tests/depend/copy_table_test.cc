// Definitions of bytes that were copied.
#include "depend/copy_table.h"

#include <gtest/gtest.h>

namespace culprit::depend {
namespace {

std::vector<NodeNumber> sources_of(CopyTable& table, uint64_t definition) {
  std::vector<NodeNumber> sources;
  table.add_sources(definition, sources);
  return sources;
}

TEST(CopyTable, ACopyComesBeforeWhatItCopied) {
  CopyTable table;
  const NodeNumber origin = {1}, first = {2}, second = {3};
  const uint64_t copy = table.copied(second, table.copied(first, origin.bits));
  EXPECT_EQ(sources_of(table, copy), (std::vector<NodeNumber>{second, first, origin}));
}

TEST(CopyTable, ACopyOfUndefinedBytesIsTheirOrigin) {
  CopyTable table;
  const NodeNumber copier = {4};
  EXPECT_EQ(sources_of(table, table.copied(copier, ShadowMemory::kUndefined)), std::vector<NodeNumber>{copier});
  EXPECT_TRUE(sources_of(table, ShadowMemory::kUndefined).empty());
}

TEST(CopyTable, SharedHistoriesAreLookedAtOnce) {
  CopyTable table;
  const uint64_t one = NodeNumber{1}.bits, other = NodeNumber{2}.bits;
  uint64_t definition = table.joined(one, other);
  for (uint32_t each = 0; each < 60; ++each) {
    const NodeNumber copier = {10 + each};
    definition = table.joined(table.copied(copier, definition), table.copied(copier, one));
  }
  // Sixty copiers and two origins; by every path there would be 2^60 of them.
  EXPECT_EQ(sources_of(table, definition).size(), 62u);
}

}  // namespace
}  // namespace culprit::depend
