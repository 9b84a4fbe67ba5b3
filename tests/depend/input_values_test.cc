// The sets' algebra (ED §4.1.4, fig. 4.4).
#include "depend/input_values.h"

#include <gtest/gtest.h>

namespace culprit::depend {
namespace {

constexpr uint64_t kByte = 7, kOther = 200;
constexpr uint32_t kStore = 11, kLaterStore = 12;
constexpr size_t kDerived = 0, kControlled = 1, kAddressed = 2;

class InputValuesTest : public testing::Test {
 protected:
  bool has(InputValue value, size_t role, uint64_t byte) {
    return values_.ordinals().contains(values_.sets(value).all[role], byte);
  }
  bool has_precise(InputValue value, size_t role, uint64_t byte) {
    return values_.ordinals().contains(values_.sets(value).precise[role], byte);
  }
  InputValues values_{1000};
};

TEST_F(InputValuesTest, TheStrongerStays) {
  const InputValue precise = values_.byte(kByte), weak = values_.weakened(precise);
  EXPECT_NE(precise, weak);
  EXPECT_EQ(values_.joined(precise, weak), precise);
  EXPECT_EQ(values_.joined(weak, precise), precise);
  EXPECT_EQ(values_.weakened(weak), weak);
  EXPECT_TRUE(has(weak, kDerived, kByte));
  EXPECT_FALSE(has_precise(weak, kDerived, kByte));
}

TEST_F(InputValuesTest, AddressesTakeAllRoles) {
  const InputValue value =
      values_.joined(values_.byte(kByte), values_.through_control(values_.weakened(values_.byte(kOther))));
  const InputValue loaded = values_.through_address(value);
  EXPECT_FALSE(values_.is_derived(loaded));
  EXPECT_TRUE(has_precise(loaded, kAddressed, kByte));
  EXPECT_TRUE(has(loaded, kAddressed, kOther));
  EXPECT_FALSE(has_precise(loaded, kAddressed, kOther));
  EXPECT_EQ(values_.sets(loaded).all[kControlled], kEmptySet);
}

TEST_F(InputValuesTest, PredicatesPassTheirAddressesOn) {
  const InputValue predicate = values_.joined(values_.byte(kByte), values_.through_address(values_.byte(kOther)));
  const InputValue decided = values_.through_control(predicate);
  EXPECT_FALSE(values_.is_derived(decided));
  EXPECT_TRUE(has_precise(decided, kControlled, kByte));
  EXPECT_TRUE(has(decided, kAddressed, kOther));
}

TEST_F(InputValuesTest, OfChainsTheLongerStays) {
  const InputValue first = values_.mapped(values_.byte(kByte), kStore);
  ASSERT_EQ(values_.chains(first).size(), 1u);
  const InputValue second = values_.mapped(first, kLaterStore);
  ASSERT_EQ(values_.chains(second).size(), 1u);
  EXPECT_EQ(values_.link(values_.chains(second).front()).length, 2u);
  EXPECT_EQ(values_.joined(first, second), second);
  EXPECT_EQ(values_.joined(values_.byte(kByte), first), first);
  const InputValue both = values_.joined(second, values_.mapped(values_.byte(kOther), kStore));
  EXPECT_EQ(values_.chains(both).size(), 2u);
  EXPECT_TRUE(values_.chains(values_.weakened(both)).empty());
}

TEST_F(InputValuesTest, ChainsOfLoopsEnd) {
  InputValue state = values_.byte(kByte);
  for (int each = 0; each < 1000; ++each) state = values_.mapped(state, each % 2 == 0 ? kStore : kLaterStore);
  ASSERT_EQ(values_.chains(state).size(), 1u);
  EXPECT_LE(values_.link(values_.chains(state).front()).length, 16u);
}

TEST_F(InputValuesTest, WhatIsNotPreciseIsNotMapped) {
  EXPECT_EQ(values_.mapped(values_.weakened(values_.byte(kByte)), kStore), kNoInput);
  EXPECT_EQ(values_.mapped(values_.through_control(values_.byte(kByte)), kStore), kNoInput);
}

}  // namespace
}  // namespace culprit::depend
