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

TEST(CopyTable, WhatIsReadOfSeveralValuesIsToldByTheByte) {
  CopyTable table;
  const uint64_t one = NodeNumber{1}.bits, other = NodeNumber{2}.bits;
  const NodeNumber copier = {3};
  // The upper half of one value, copied, and the beginning of another.
  std::vector<uint64_t> bytes;
  for (uint64_t each = 4; each < 8; ++each) bytes.push_back(table.copied(copier, definition::advanced(one, each)));
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
