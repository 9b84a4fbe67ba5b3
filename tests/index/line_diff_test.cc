// Lines that correspond, and the longest common subsequence that finds them, against the textbook's table.
#include "index/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "index/common_subsequence.h"

namespace culprit {
namespace {

size_t longest(const std::vector<int>& left, const std::vector<int>& right) {
  std::vector<std::vector<size_t>> table(left.size() + 1, std::vector<size_t>(right.size() + 1, 0));
  for (size_t one = 1; one <= left.size(); ++one) {
    for (size_t other = 1; other <= right.size(); ++other) {
      table[one][other] = left[one - 1] == right[other - 1] ? table[one - 1][other - 1] + 1
                                                            : std::max(table[one - 1][other], table[one][other - 1]);
    }
  }
  return table[left.size()][right.size()];
}

TEST(CommonSubsequence, IsAsLongAsAnyAndInOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const auto sequence = [&] {
      std::vector<int> values(random() % 30);
      for (int& each : values) each = static_cast<int>(random() % (1 + round % 9));
      return values;
    };
    const std::vector<int> left = sequence(), right = sequence();
    const auto pairs =
        longest_common_subsequence(static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()),
                                   [&](uint32_t one, uint32_t other) { return left[one] == right[other]; });
    ASSERT_EQ(pairs.size(), longest(left, right)) << round;
    for (size_t each = 0; each < pairs.size(); ++each) {
      ASSERT_EQ(left[pairs[each].first], right[pairs[each].second]);
      if (each == 0) continue;
      ASSERT_LT(pairs[each - 1].first, pairs[each].first);
      ASSERT_LT(pairs[each - 1].second, pairs[each].second);
    }
  }
}

TEST(CommonSubsequence, TakesLittleWhereNothingIsCommon) {
  const auto pairs = longest_common_subsequence(10'000, 9'000, [](uint32_t, uint32_t) { return false; });
  EXPECT_TRUE(pairs.empty());
}

TEST(LineDiff, PairsEqualLinesAndChangedOnes) {
  const LineDiff diff(
      "int f(int n) {\n"
      "  if (n < 3) g();\n"
      "  return n;\n"
      "}\n",
      "int f(int n) {\n"
      "  log();\n"
      "  if (n <= 3) g();\n"
      "  return n;\n"
      "}\n");
  EXPECT_EQ(diff.of_left(1).other, 1u);
  EXPECT_TRUE(diff.of_left(1).same);
  EXPECT_EQ(diff.of_left(2).other, 3u);
  EXPECT_FALSE(diff.of_left(2).same);
  EXPECT_EQ(diff.of_right(2).other, 0u);
  EXPECT_EQ(diff.of_right(3).other, 2u);
  EXPECT_EQ(diff.of_left(3).other, 4u);
  EXPECT_TRUE(diff.of_right(5).same);
  EXPECT_EQ(diff.of_left(0).other, 0u);
  EXPECT_EQ(diff.of_left(9).other, 0u);
}

TEST(LineDiff, ColumnsKeepTheirCharacter) {
  const LineDiff diff("same\n  if (n < 3) g();\n", "same\n  if (n <= 3) g();\n");
  EXPECT_TRUE(diff.columns_correspond(1, 2, 2));
  EXPECT_FALSE(diff.columns_correspond(1, 2, 3));
  EXPECT_TRUE(diff.columns_correspond(2, 9, 9));    // the comparison
  EXPECT_TRUE(diff.columns_correspond(2, 14, 15));  // the call behind it
  EXPECT_FALSE(diff.columns_correspond(2, 14, 14));
  EXPECT_TRUE(diff.columns_correspond(2, 0, 0));
}

TEST(LineDiff, AsManyOtherLinesAreChangedOnes) {
  const LineDiff diff("a\nfirst();\nsecond();\nz\n", "a\nx = 1 + y;\nwhile (y) --y;\nz");
  EXPECT_EQ(diff.of_left(2).other, 2u);
  EXPECT_EQ(diff.of_left(3).other, 3u);
  EXPECT_FALSE(diff.of_left(2).same || diff.of_left(3).same);
  EXPECT_TRUE(diff.columns_correspond(2, 1, 3));
  const LineDiff other("a\nfirst();\nsecond();\nz\n", "a\nwhile (y) --y;\nz\n");
  EXPECT_EQ(other.of_left(2).other, 0u);
  EXPECT_EQ(other.of_left(3).other, 0u);
  EXPECT_TRUE(other.of_left(4).same);
}

}  // namespace
}  // namespace culprit
