// What a walk backwards keeps of a node, against the sets that are computed forwards.
#include "depend/demand.h"

#include <gtest/gtest.h>

#include <random>

namespace culprit::depend {
namespace {

constexpr uint64_t kByte = 3;
constexpr uint32_t kMapping = 5;  ///< as a way: behind those of InputWay

InputValue forwards(InputValues& values, InputValue value, uint32_t way) {
  if (way == kMapping) return values.mapped(value, 1);
  switch (static_cast<InputWay>(way)) {
    case InputWay::kPrecise:
      return value;
    case InputWay::kWeak:
      return values.weakened(value);
    case InputWay::kAddress:
      return values.through_address(value);
    case InputWay::kControl:
      return values.through_control(value);
    case InputWay::kWeakControl:
      return values.weakened(values.through_control(value));
  }
  return kNoInput;
}

Demand backwards(Demand wished, uint32_t way) {
  return way == kMapping ? demand::mapped(wished) : demand::through(static_cast<InputWay>(way), wished);
}

// Along every path of up to six ways a byte comes into the same sets.
TEST(Demand, PathsGiveTheSameSets) {
  for (uint32_t length = 0; length <= 6; ++length) {
    uint32_t paths = 1;
    for (uint32_t each = 0; each < length; ++each) paths *= kMapping + 1;
    InputValues values(64);
    for (uint32_t path = 0; path < paths; ++path) {
      std::vector<uint32_t> ways;
      for (uint32_t each = 0, rest = path; each < length; ++each, rest /= kMapping + 1)
        ways.push_back(rest % (kMapping + 1));
      for (const bool is_weak : {false, true}) {
        InputValue value = values.byte(kByte);
        for (const uint32_t way : ways) value = forwards(values, value, way);
        if (is_weak) value = values.weakened(value);
        Demand wished = demand::whole(is_weak);
        for (size_t each = ways.size(); each-- > 0;) wished = backwards(wished, ways[each]);
        for (uint32_t role = 0; role < kInputRoles; ++role) {
          EXPECT_EQ(wished >> (demand::kWeakExact + role) & 1,
                    values.ordinals().contains(values.sets(value).all[role], kByte) ? 1u : 0u);
          EXPECT_EQ(wished >> (demand::kStrongExact + role) & 1,
                    values.ordinals().contains(values.sets(value).precise[role], kByte) ? 1u : 0u);
        }
      }
    }
  }
}

// A node that is reached by two paths is wished for by both, so ways must not lose what either brings.
TEST(Demand, WaysAreUnionsOfWhatTheyDoToEachWish) {
  std::mt19937 random(1);
  std::vector<Demand> reachable{demand::whole(false), demand::whole(true)};
  for (int each = 0; each < 2000; ++each) {
    const Demand one = reachable[random() % reachable.size()], other = reachable[random() % reachable.size()];
    const uint32_t way = random() % (kMapping + 1);
    EXPECT_EQ(backwards(one | other, way), backwards(one, way) | backwards(other, way));
    reachable.push_back(backwards(one | other, way));
  }
}

}  // namespace
}  // namespace culprit::depend
