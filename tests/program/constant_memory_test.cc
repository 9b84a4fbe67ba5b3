// Constants read from a program's file, here this test's own, and calls judged by them.
#include "program/constant_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "program/measured_memory.h"
#include "temporary_directory.h"

extern "C" const char __ehdr_start;  // the linker's

namespace culprit::program {
namespace {

using ::testing::IsSupersetOf;

constexpr char kFormat[] = "%s=%d";
int variable = 3;

uint64_t own_image() {
  return std::bit_cast<uint64_t>(&__ehdr_start);
}

TEST(ConstantMemory, HoldsWhatTheProgramCannotWrite) {
  const ConstantMemory memory("/proc/self/exe", own_image());
  std::array<char, sizeof(kFormat)> read{};
  ASSERT_TRUE(memory.read(std::bit_cast<uint64_t>(&kFormat[0]), std::as_writable_bytes(std::span(read))));
  EXPECT_STREQ(read.data(), kFormat);
  std::array<std::byte, 1> one{};
  EXPECT_FALSE(memory.read(std::bit_cast<uint64_t>(&variable), one));
  EXPECT_FALSE(memory.read(0, one));
}

TEST(ConstantMemory, RefusesOtherFiles) {
  const tests::TemporaryDirectory folder;
  std::ofstream(folder.path() / "text")
      << "this is no program, but it is longer than the header of one would have to be";
  EXPECT_THROW(ConstantMemory(folder.path() / "text", 0), CorruptData);
  std::ofstream(folder.path() / "short") << "\x7f"
                                            "ELF";
  EXPECT_THROW(ConstantMemory(folder.path() / "short", 0), CorruptData);
}

TEST(MeasuredMemory, IsEnoughForAPrintf) {
  const ConstantMemory constants("/proc/self/exe", own_image());
  const std::array<uint64_t, 4> arguments{0x1000, std::bit_cast<uint64_t>(&kFormat[0]), 0x2000, 42};
  const std::array<uint32_t, 4> lengths{0, 0, 6, 0};
  const MeasuredMemory memory(arguments, 4, lengths, &constants);
  std::vector<std::string> texts;
  const auto found = effects_of_call({"sprintf", arguments, 9}, memory);
  ASSERT_TRUE(found.has_value());
  for (const Effect& effect : found->effects) texts.push_back(effect_text(effect));
  EXPECT_THAT(texts, IsSupersetOf({"copy [0x1000, +6) from [0x2000, +6)", "write [0x1007, +2) from argument 4"}));
}

}  // namespace
}  // namespace culprit::program
