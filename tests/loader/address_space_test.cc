#include "runtime/loader/address_space.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace culprit::loader {
namespace {

class AddressSpaceTest : public ::testing::Test {
 protected:
  std::unique_ptr<AddressSpace> space_ = std::make_unique<AddressSpace>();
};

TEST_F(AddressSpaceTest, TouchingRangesBecomeOne) {
  space_->add(0x1000, 0x2000);
  space_->add(0x3000, 0x4000);
  EXPECT_EQ(space_->size(), 2u);
  space_->add(0x2000, 0x3000);
  ASSERT_EQ(space_->size(), 1u);
  EXPECT_TRUE(space_->covers(0x1000, 0x4000));
  EXPECT_FALSE(space_->covers(0x1000, 0x4001));
}

TEST_F(AddressSpaceTest, RemovingTheMiddleLeavesTwo) {
  space_->add(0x1000, 0x9000);
  space_->remove(0x3000, 0x4000);
  EXPECT_EQ(space_->size(), 2u);
  EXPECT_TRUE(space_->is_free(0x3000, 0x4000));
  EXPECT_FALSE(space_->is_free(0x2fff, 0x4000));
}

TEST_F(AddressSpaceTest, PlacesAreTheHighestThatFit) {
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x1000), 0x1f000u);
  space_->add(0x1e000, 0x20000);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x1000), 0x1d000u);
  space_->add(0x18000, 0x1d000);  // a hole of one page is left above it
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x1000), 0x1d000u);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x2000), 0x16000u);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x9000), 0u);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0), 0u);
}

TEST_F(AddressSpaceTest, RangesOutsideTheSearchedOnesDoNotMatter) {
  space_->add(0x1000, 0x2000);
  space_->add(0x80000, 0x90000);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x10000), 0x10000u);
  space_->add(0x1f000, 0x30000);
  EXPECT_EQ(space_->highest_free(0x10000, 0x20000, 0x1000), 0x1e000u);
}

TEST_F(AddressSpaceTest, AgreesWithASetOfPages) {
  std::mt19937 random(7);
  constexpr unsigned kPages = 200;
  std::vector<bool> pages(kPages);
  for (int step = 0; step < 20000; ++step) {
    const unsigned low = random() % kPages, high = low + random() % (kPages - low) % 20 + 0;
    const bool add = random() % 2;
    add ? space_->add(low, high) : space_->remove(low, high);
    for (unsigned page = low; page < high; ++page) pages[page] = add;

    const unsigned bytes = 1 + random() % 30, from = random() % kPages, to = from + random() % (kPages - from);
    unsigned expected = 0;
    for (unsigned at = from; at + bytes <= to; ++at) {
      bool free = true;
      for (unsigned page = at; page < at + bytes; ++page) free = free && !pages[page];
      if (free) expected = at;
    }
    ASSERT_EQ(space_->highest_free(from, to, bytes), expected) << step;
    bool all_free = true, all_used = true;
    for (unsigned page = from; page < to; ++page) (pages[page] ? all_free : all_used) = false;
    if (from < to) {
      ASSERT_EQ(space_->is_free(from, to), all_free) << step;
      ASSERT_EQ(space_->covers(from, to), all_used) << step;
    }
  }
}

}  // namespace
}  // namespace culprit::loader
