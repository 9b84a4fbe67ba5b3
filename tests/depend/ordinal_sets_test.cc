#include "depend/ordinal_sets.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace culprit::depend {
namespace {

std::set<uint64_t> members(const OrdinalSets& sets, OrdinalSet set) {
  std::set<uint64_t> all;
  sets.for_each(set, [&](uint64_t number) { all.insert(number); });
  return all;
}

TEST(OrdinalSets, EqualSetsAreOneNumber) {
  OrdinalSets sets(1000);
  const OrdinalSet one = sets.joined(sets.only(3), sets.only(900));
  const OrdinalSet other = sets.joined(sets.joined(sets.only(900), sets.only(3)), sets.only(900));
  EXPECT_EQ(one, other);
  EXPECT_NE(one, sets.only(3));
  EXPECT_EQ(members(sets, one), (std::set<uint64_t>{3, 900}));
  EXPECT_EQ(sets.size(one), 2u);
  EXPECT_TRUE(sets.contains(one, 900));
  EXPECT_FALSE(sets.contains(one, 4));
  EXPECT_EQ(sets.joined(kEmptySet, kEmptySet), kEmptySet);
}

TEST(OrdinalSets, UnionsAreThoseOfSets) {
  for (const uint64_t bound : {1, 64, 65, 5000}) {
    OrdinalSets sets(bound);
    std::mt19937 random(7);
    std::vector<OrdinalSet> known{kEmptySet};
    std::vector<std::set<uint64_t>> expected{{}};
    for (int each = 0; each < 500; ++each) {
      const size_t one = random() % known.size(), other = random() % known.size();
      const uint64_t number = random() % bound;
      std::set<uint64_t> all = expected[one];
      all.insert(expected[other].begin(), expected[other].end());
      all.insert(number);
      known.push_back(sets.joined(sets.joined(known[one], known[other]), sets.only(number)));
      expected.push_back(all);
      ASSERT_EQ(members(sets, known.back()), all) << "bound " << bound;
    }
    for (size_t one = 0; one < known.size(); one += 17) {
      for (size_t other = 0; other < known.size(); other += 13) {
        EXPECT_EQ(known[one] == known[other], expected[one] == expected[other]);
      }
    }
  }
}

TEST(OrdinalSets, GrowingSetsShareWhatTheyHave) {
  constexpr uint64_t kBytes = 100'000;
  OrdinalSets sets(kBytes);
  OrdinalSet set = kEmptySet;
  for (uint64_t each = 0; each < kBytes; ++each) set = sets.joined(set, sets.only(each));
  EXPECT_EQ(sets.size(set), kBytes);
  EXPECT_LT(sets.nodes(), 40 * kBytes);
}

TEST(OrdinalSets, OfASetOfBitsAreThoseOfItsNumbers) {
  for (const uint64_t bound : {1, 64, 65, 5000}) {
    std::mt19937_64 random(bound);
    OrdinalSets sets(bound);
    EXPECT_EQ(sets.of(NumberSet(bound)), kEmptySet);
    NumberSet bits(bound);
    OrdinalSet expected = kEmptySet;
    for (int each = 0; each < 40; ++each) {
      const uint64_t number = random() % bound;
      bits.insert(number);
      expected = sets.joined(expected, sets.only(number));
      ASSERT_EQ(sets.of(bits), expected);
    }
  }
}

}  // namespace
}  // namespace culprit::depend
