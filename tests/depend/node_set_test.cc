// Sets of numbers, against std::set.
#include "depend/node_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace culprit::depend {
namespace {

constexpr uint64_t kBound = 300'000;

TEST(NumberSet, HoldsWhatWasPutIn) {
  std::mt19937_64 random(1);
  NumberSet numbers(kBound), other(kBound);
  std::set<uint64_t> expected;
  EXPECT_TRUE(numbers.empty());
  for (int each = 0; each < 500; ++each) {
    const uint64_t first = random() % 1000 + (each % 3) * 140'000;
    const uint64_t bits = random() & random();
    numbers.insert_range(first, bits);
    for (uint64_t bit = 0; bit < 64; ++bit) {
      if ((bits >> bit & 1) != 0) expected.insert(first + bit);
    }
  }
  numbers.insert(kBound - 1);
  expected.insert(kBound - 1);
  EXPECT_EQ(numbers.size(), expected.size());
  std::set<uint64_t> found, walked;
  numbers.for_each([&](uint64_t number) { found.insert(number); });
  for (uint64_t at = numbers.next(0, kBound); at < kBound; at = numbers.next(at + 1, kBound)) walked.insert(at);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(walked, expected);
  other.insert(kBound - 1);
  other.insert(5'000);
  numbers.keep_common(other);
  EXPECT_EQ(numbers.size(), 1u);
  EXPECT_TRUE(numbers.contains(kBound - 1));
}

TEST(LargestFirst, GivesTheLargestThatWaits) {
  std::mt19937_64 random(2);
  LargestFirst waiting(kBound);
  std::set<uint64_t> expected;
  EXPECT_FALSE(waiting.largest());
  for (int each = 0; each < 20'000; ++each) {
    if (random() % 3 != 0 || expected.empty()) {
      const uint64_t number = random() % kBound;
      waiting.insert(number);
      expected.insert(number);
    } else {
      ASSERT_EQ(waiting.largest(), *expected.rbegin());
      const uint64_t first = *expected.rbegin() - std::min<uint64_t>(*expected.rbegin(), random() % 64);
      const uint32_t count = static_cast<uint32_t>(*expected.rbegin() - first + 1);
      uint64_t bits = 0;
      for (uint64_t bit = 0; bit < count; ++bit) bits |= static_cast<uint64_t>(expected.erase(first + bit)) << bit;
      ASSERT_EQ(waiting.take_range(first, count), bits);
    }
  }
  while (const auto number = waiting.largest()) {
    ASSERT_EQ(*number, *expected.rbegin());
    expected.erase(*number);
    waiting.take_range(*number, 1);
  }
  EXPECT_TRUE(expected.empty());
}

}  // namespace
}  // namespace culprit::depend
