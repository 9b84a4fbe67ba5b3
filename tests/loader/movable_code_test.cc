#include "runtime/loader/movable_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace culprit::loader {
namespace {

using Bytes = std::vector<uint8_t>;

size_t movable(const Bytes& code, size_t least = 3) {
  return movable_bytes(code.data(), code.size(), least);
}

TEST(MovableCode, WhatFollowsCallsInLibc) {
  EXPECT_EQ(movable({0x48, 0x3d, 0x01, 0xf0, 0xff, 0xff, 0x73, 0x01}), 6u);              // cmp $-4095, %rax
  EXPECT_EQ(movable({0x48, 0x85, 0xc0, 0x7c, 0x01}), 3u);                                // test %rax, %rax
  EXPECT_EQ(movable({0x83, 0xf8, 0x16, 0x74, 0x01}), 3u);                                // cmp $22, %eax
  EXPECT_EQ(movable({0x89, 0xc2, 0x48, 0x89, 0xc3, 0x90}), 5u);                          // two moves
  EXPECT_EQ(movable({0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x90}), 9u);  // mov %fs:-8, %rax
  EXPECT_EQ(movable({0x48, 0x8b, 0x44, 0x24, 0x08, 0x90}), 5u);                          // mov 8(%rsp), %rax
}

TEST(MovableCode, WhatMeansAnotherThingElsewhere) {
  EXPECT_EQ(movable({0x48, 0x8b, 0x05, 1, 0, 0, 0}), 0u);  // mov 1(%rip), %rax
  EXPECT_EQ(movable({0x73, 0x01, 0xc3, 0x90, 0x90}), 0u);  // jae
  EXPECT_EQ(movable({0xc3, 0x90, 0x90, 0x90}), 0u);        // ret
  EXPECT_EQ(movable({0x89, 0xc2, 0xe8, 0, 0, 0, 0}), 0u);  // a call after a move that is too short
  EXPECT_EQ(movable({0x48, 0x3d, 0x01, 0xf0}), 0u);        // ends inside the instruction
  EXPECT_EQ(movable({0x48, 0x8b, 0x04}), 0u);              // ends inside the operand
}

TEST(MovableCode, JumpsIntoAPlace) {
  const uint64_t at = 0x1000;
  const auto into = [&](const Bytes& code, uint64_t low, uint64_t high) {
    return jumps_between(code.data(), code.size(), at, low, high);
  };
  EXPECT_TRUE(into({0xeb, 0x10}, 0x1010, 0x1018));              // jmp 0x1012
  EXPECT_FALSE(into({0xeb, 0x0e}, 0x1010, 0x1018));             // jmp 0x1010, the place's start
  EXPECT_FALSE(into({0xeb, 0x16}, 0x1010, 0x1018));             // jmp 0x1018, behind it
  EXPECT_TRUE(into({0x90, 0x74, 0xf0}, 0x0ff0, 0x0ff8));        // je 0x0ff3
  EXPECT_TRUE(into({0x0f, 0x84, 0, 1, 0, 0}, 0x1100, 0x1108));  // je 0x1106
  EXPECT_TRUE(into({0xe9, 0, 1, 0, 0}, 0x1100, 0x1108));        // jmp 0x1105
  EXPECT_FALSE(into({0x48, 0x3d, 0x01, 0xf0, 0xff, 0xff}, 0x1010, 0x1018));
}

}  // namespace
}  // namespace culprit::loader
