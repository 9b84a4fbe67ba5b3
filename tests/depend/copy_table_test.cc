// Definitions of bytes that were copied.
#include "depend/copy_table.h"

#include <gtest/gtest.h>

#include "depend/shadow_memory.h"

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
  const uint64_t copy = table.copied(second, 0, table.copied(first, 0, origin.bits));
  EXPECT_EQ(sources_of(table, copy), (std::vector<NodeNumber>{second, first, origin}));
}

TEST(CopyTable, ACopyOfUndefinedBytesIsTheirOrigin) {
  CopyTable table;
  const NodeNumber copier = {4};
  EXPECT_EQ(sources_of(table, table.copied(copier, 0, ShadowMemory::kUndefined)), std::vector<NodeNumber>{copier});
  EXPECT_TRUE(sources_of(table, ShadowMemory::kUndefined).empty());
}

TEST(CopyTable, SharedHistoriesAreLookedAtOnce) {
  CopyTable table;
  const uint64_t one = NodeNumber{1}.bits, other = NodeNumber{2}.bits;
  uint64_t definition = table.joined(one, other);
  for (uint32_t each = 0; each < 60; ++each) {
    const NodeNumber copier = {10 + each};
    definition = table.joined(table.copied(copier, 0, definition), table.copied(copier, 0, one));
  }
  // Sixty copiers and two origins; by every path there would be 2^60 of them.
  EXPECT_EQ(sources_of(table, definition).size(), 62u);
}

TEST(CopyTable, WhatIsMovedAgainAndAgainIsToldByItsLastMovesAndItsMaker) {
  CopyTable table;
  const NodeNumber origin = {1}, once = {2};
  constexpr uint32_t kOnce = 7, kSwap = 8, kBack = 9;
  uint64_t definition = table.copied(once, kOnce, origin.bits);
  for (uint32_t each = 0; each < 10000; ++each) {
    definition = table.copied({10 + each}, each % 2 == 0 ? kSwap : kBack, definition);
  }
  const std::vector<NodeNumber> sources = sources_of(table, definition);
  EXPECT_LE(sources.size(), CopyTable::kMostInARow + 2);
  EXPECT_EQ(sources.front(), NodeNumber{10009});
  EXPECT_EQ(sources[CopyTable::kRepeatsTold - 1], NodeNumber{10010 - CopyTable::kRepeatsTold});
  // Who copied only once is told all the same.
  EXPECT_EQ(sources[sources.size() - 2], once);
  EXPECT_EQ(sources.back(), origin);
}

TEST(CopyTable, WhatIsComputedFromCopiesCountsAsManyInARow) {
  CopyTable table;
  const NodeNumber copier = {3};
  const uint64_t copy = table.copied(copier, 0, table.copied(copier, 1, NodeNumber{1}.bits));
  EXPECT_EQ(table.in_a_row(copy), 2U);
  EXPECT_EQ(table.in_a_row(table.joined(NodeNumber{5}.bits, copy)), 2U);
  EXPECT_EQ(table.in_a_row(table.joined(NodeNumber{5}.bits, NodeNumber{6}.bits, 4)), 4U);
  EXPECT_EQ(table.in_a_row(NodeNumber{1}.bits), 0U);
}

TEST(CopyTable, WhatIsReadOfSeveralValuesIsToldByTheByte) {
  CopyTable table;
  const uint64_t one = NodeNumber{1}.bits, other = NodeNumber{2}.bits;
  const NodeNumber copier = {3};
  // The upper half of one value, copied, and the beginning of another.
  std::vector<uint64_t> bytes;
  for (uint64_t each = 4; each < 8; ++each) bytes.push_back(table.copied(copier, 0, definition::advanced(one, each)));
  for (uint64_t each = 0; each < 4; ++each) bytes.push_back(definition::advanced(other, each));
  std::vector<NodeNumber> sources;
  table.add_pieces(bytes, sources);
  EXPECT_EQ(sources, (std::vector<NodeNumber>{piece(copier, {0, 4}, definition::kWhole), piece({1}, {0, 4}, 4),
                                              piece({2}, {4, 8}, 0)}));
  EXPECT_EQ(range_in_source(sources[1], {2, 6}), (ByteRange{6, 8}));
  EXPECT_EQ(range_in_source(sources[2], {2, 6}), (ByteRange{0, 2}));
  EXPECT_TRUE(range_in_source(sources[0], {4, 8}).is_empty());
  EXPECT_EQ(without_piece(sources[1]), NodeNumber{1});
}

TEST(CopyTable, ValuesReadWholeNeedNoPieces) {
  CopyTable table;
  std::vector<uint64_t> bytes;
  for (uint64_t each = 0; each < 8; ++each) bytes.push_back(definition::advanced(NodeNumber{5}.bits, each));
  std::vector<NodeNumber> sources;
  table.add_pieces(bytes, sources);
  EXPECT_EQ(sources, std::vector<NodeNumber>{NodeNumber{5}});
}

}  // namespace
}  // namespace culprit::depend
