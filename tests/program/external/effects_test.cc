// Effects of single calls: what the table's items come to with given memory.
#include "program/external_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>

namespace culprit::program {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

/// Memory of a few stretches; what lies between them is not known.
class FewBytes : public CalledMemory {
 public:
  void put(uint64_t address, std::string bytes, bool before = true, bool after = true) {
    if (before) before_[address] = bytes;
    if (after) after_[address] = std::move(bytes);
  }
  void put_words(uint64_t address, std::vector<uint64_t> words) {
    std::string bytes(words.size() * sizeof(uint64_t), '\0');
    std::memcpy(bytes.data(), words.data(), bytes.size());
    put(address, std::move(bytes));
  }
  bool read(When when, uint64_t address, std::span<std::byte> into) const override {
    const auto& stretches = when == When::kBefore ? before_ : after_;
    auto found = stretches.upper_bound(address);
    if (found == stretches.begin()) return false;
    --found;
    const auto& [begin, bytes] = *found;
    if (address + into.size() > begin + bytes.size()) return false;
    std::memcpy(into.data(), bytes.data() + (address - begin), into.size());
    return true;
  }
  std::optional<uint64_t> block_bytes(uint64_t address) const override {
    return address == 0x9000 ? std::optional<uint64_t>(10) : std::nullopt;
  }
  std::optional<uint64_t> pointer_variable(std::string_view name) const override {
    return name == "stdout" ? std::optional<uint64_t>(0x5555) : std::nullopt;
  }

 private:
  std::map<uint64_t, std::string> before_, after_;
};

/// As text; a last line "incomplete" when something could not be located.
std::vector<std::string> effects(const FewBytes& memory, std::string_view function, std::vector<uint64_t> arguments,
                                 std::optional<uint64_t> result) {
  const auto found = effects_of_call({function, arguments, result}, memory);
  if (!found) return {"not described"};
  std::vector<std::string> texts;
  for (const Effect& effect : found->effects) texts.push_back(effect_text(effect));
  if (!found->complete) texts.emplace_back("incomplete");
  return texts;
}

std::string terminated(const char* text) {
  return std::string(text, std::strlen(text) + 1);
}

TEST(ExternalEffects, CopiesAreToldFromComputedValues) {
  FewBytes memory;
  memory.put(0x2000, terminated("abc"));
  EXPECT_THAT(effects(memory, "strcpy", {0x1000, 0x2000}, 0x1000),
              ElementsAre("copy [0x1000, +4) from [0x2000, +4)", "return-copy result from argument 1"));
  EXPECT_THAT(effects(memory, "strlen", {0x2000}, 3),
              ElementsAre("read [0x2000, +4)", "return result from [0x2000, +4)"));
  EXPECT_THAT(effects(memory, "memset", {0x1000, 'x', 5}, 0x1000),
              ElementsAre("fill [0x1000, +5) from argument 2", "return-copy result from argument 1"));
}

TEST(ExternalEffects, UnknownMemoryGivesOpenRanges) {
  FewBytes memory;
  EXPECT_THAT(effects(memory, "strlen", {0x2000}, 3), Contains("read [0x2000, ...)"));
  EXPECT_THAT(effects(memory, "strcat", {0x1000, 0x2000}, 0x1000), Contains("incomplete"));
  EXPECT_THAT(effects(memory, "mystery", {}, 0), ElementsAre("not described"));
}

/// Knows how long strings are, but none of their bytes.
class OnlyLengths : public CalledMemory {
 public:
  bool read(When, uint64_t, std::span<std::byte>) const override { return false; }
  std::optional<uint64_t> string_length(When, uint64_t address) const override { return address == 0x1000 ? 5 : 9; }
};

TEST(ExternalEffects, LengthsAloneGiveUpperBounds) {
  const auto first = [](std::string_view function, std::vector<uint64_t> arguments) {
    return effect_text(effects_of_call({function, arguments, 0}, OnlyLengths())->effects.front());
  };
  EXPECT_EQ(first("strcpy", {0x3000, 0x1000}), "copy [0x3000, +6) from [0x1000, +6)");
  EXPECT_EQ(first("strcmp", {0x1000, 0x2000}), "read [0x1000, +6)");
  EXPECT_EQ(first("strncmp", {0x1000, 0x2000, 3}), "read [0x1000, +3)");
  EXPECT_EQ(first("strchr", {0x1000, 'x'}), "read [0x1000, +6)");
  EXPECT_EQ(first("atoi", {0x1000}), "read [0x1000, +6)");
  EXPECT_EQ(first("strspn", {0x1000, 0x2000}), "read [0x1000, +6)");
}

TEST(ExternalEffects, WhatIsAskedOfMemoryIsKnownBeforehand) {
  EXPECT_EQ(asked_memory("strcmp")->strings, 3u);
  EXPECT_EQ(asked_memory("memcpy")->strings, 0u);
  EXPECT_EQ(asked_memory("getline")->pointers, 3u);
  EXPECT_EQ(asked_memory("getline")->words[0], 1);
  const auto assigned = asked_memory("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_");
  ASSERT_TRUE(assigned.has_value());
  EXPECT_EQ(assigned->words[0], 2);
  EXPECT_EQ(assigned->words[1], 2);
  EXPECT_EQ(asked_memory("snprintf")->printf_format, 2u);
  EXPECT_EQ(asked_memory("sscanf")->scanf_format, 1u);
  EXPECT_FALSE(asked_memory("mystery").has_value());
}

TEST(ExternalEffects, NullPointersAndEmptyRangesAreLeftOut) {
  FewBytes memory;
  memory.put(0x2000, terminated("12"));
  EXPECT_THAT(effects(memory, "strtol", {0x2000, 0, 10}, 12), Not(Contains(testing::StartsWith("write ["))));
  EXPECT_THAT(effects(memory, "memcpy", {0x1000, 0x2000, 0}, 0x1000),
              ElementsAre("return-copy result from argument 1"));
  EXPECT_THAT(effects(memory, "free", {0}, std::nullopt), ElementsAre());
  EXPECT_THAT(effects(memory, "read", {3, 0x1000, 8}, static_cast<uint64_t>(-1)),
              Not(Contains(testing::StartsWith("input"))));
}

TEST(ExternalEffects, AllocationAndRelease) {
  FewBytes memory;
  EXPECT_THAT(effects(memory, "calloc", {3, 8}, 0x4000),
              IsSupersetOf({"allocate [0x4000, +24) from outside", "write [0x4000, +24)"}));
  EXPECT_THAT(effects(memory, "realloc", {0x9000, 40}, 0x4000),
              IsSupersetOf({"free [0x9000, +10)", "allocate [0x4000, +40) from outside",
                            "copy [0x4000, +10) from [0x9000, +10)"}));
  const auto grown = effects_of_call({"realloc", std::vector<uint64_t>{0x9000, 40}, 0x9000}, memory);
  ASSERT_TRUE(grown.has_value());
  EXPECT_THAT(grown->effects, Contains(testing::AllOf(testing::Field(&Effect::kind, EffectKind::kAllocate),
                                                      testing::Field(&Effect::offset, 10))));
  EXPECT_THAT(effects(memory, "realloc", {0x9000, 40}, 0x9000), Not(Contains(testing::StartsWith("copy"))));
  EXPECT_THAT(effects(memory, "realloc", {0x9000, 40}, 0),
              ElementsAre("read @heap", "return result from argument 2, @heap"));
}

TEST(ExternalEffects, EveryPieceOfAPrintfHasItsSource) {
  FewBytes memory;
  memory.put(0x100, terminated("%s: %3d%%"));
  memory.put(0x2000, terminated("size"));
  const std::vector<std::string> sprintf = effects(memory, "sprintf", {0x1000, 0x100, 0x2000, 42}, 10);
  EXPECT_THAT(sprintf, IsSupersetOf({"copy [0x1000, +4) from [0x2000, +4)", "copy [0x1004, +2) from [0x102, +2)",
                                     "write [0x1006, +3) from argument 4", "copy [0x1009, +1) from [0x107, +1)",
                                     "write [0x100a, +1)"}));
  const std::vector<std::string> printf = effects(memory, "printf", {0x100, 0x2000, 42}, 10);
  EXPECT_THAT(printf, IsSupersetOf({"output @stream(0x5555) +4 from [0x2000, +4)",
                                    "output @stream(0x5555) +3 from argument 3"}));
  // What is cut off was made, but did not arrive.
  EXPECT_THAT(effects(memory, "snprintf", {0x1000, 6, 0x100, 0x2000, 42}, 10),
              IsSupersetOf(
                  {"copy [0x1000, +4) from [0x2000, +4)", "copy [0x1004, +1) from [0x102, +1)", "write [0x1005, +1)"}));
}

TEST(ExternalEffects, LengthsThatDisagreeAreNotGuessed) {
  FewBytes memory;
  memory.put(0x100, terminated("%d,%d"));
  EXPECT_THAT(effects(memory, "sprintf", {0x1000, 0x100, 1, 2}, 7),
              Contains("write [0x1000, +7) from argument 3, [0x102, +1), argument 4"));
}

TEST(ExternalEffects, OneUnknownLengthIsTheRest) {
  FewBytes memory;
  memory.put(0x100, terminated("%Lf %d"));
  EXPECT_THAT(effects(memory, "sprintf", {0x1000, 0x100, 0, 2}, 10),
              IsSupersetOf({"write [0x1000, +8) from argument 3", "write [0x1009, +1) from argument 4"}));
}

TEST(ExternalEffects, ConversionsMayNumberTheirArguments) {
  FewBytes memory;
  memory.put(0x100, terminated("%2$d %1$s"));
  memory.put(0x2000, terminated("text"));
  EXPECT_THAT(effects(memory, "sprintf", {0x1000, 0x100, 0x2000, 42}, 7),
              IsSupersetOf({"write [0x1000, +2) from argument 4", "copy [0x1003, +4) from [0x2000, +4)"}));
}

TEST(ExternalEffects, ArgumentListsAreFollowed) {
  FewBytes memory;
  memory.put(0x100, terminated("%d %s %f %d %d"));
  memory.put(0x2000, terminated("text"));
  // Two words are left in registers, one number; the rest is on the stack.
  memory.put_words(0x3000, {uint64_t{160} << 32 | 32, 0x7000, 0x6000});
  memory.put_words(0x6000 + 32, {7, 0x2000});
  memory.put_words(0x6000 + 160, {std::bit_cast<uint64_t>(2.5)});
  memory.put_words(0x7000, {11, 12});
  EXPECT_THAT(effects(memory, "vsprintf", {0x1000, 0x100, 0x3000}, 21),
              IsSupersetOf({"write [0x1000, +1) from [0x6020, +8)", "copy [0x1002, +4) from [0x2000, +4)",
                            "write [0x1007, +8) from [0x60a0, +8)", "write [0x1010, +2) from [0x7000, +8)",
                            "write [0x1013, +2) from [0x7008, +8)"}));
}

TEST(ExternalEffects, ScanfWritesWhatItAssigned) {
  FewBytes memory;
  memory.put(0x100, terminated("%d %*d %7s %hhd%n"));
  memory.put(0x2000, terminated("1 2 word x"));
  memory.put(0x4000, terminated("word"), false, true);
  const auto found = effects(memory, "sscanf", {0x2000, 0x100, 0x3000, 0x4000, 0x5000, 0x6000}, 2);
  EXPECT_THAT(found, Contains("write [0x3000, +4) from [0x2000, +11), [0x100, +18)"));
  EXPECT_THAT(found, Contains("write [0x4000, +5) from [0x2000, +11), [0x100, +18)"));
  EXPECT_THAT(found, Not(Contains(testing::StartsWith("write [0x5000"))));
  EXPECT_THAT(found, Not(Contains(testing::StartsWith("write [0x6000"))));
}

TEST(ExternalEffects, VectorsEndWithTheResult) {
  FewBytes memory;
  memory.put_words(0x3000, {0x1000, 4, 0x2000, 100});
  EXPECT_THAT(
      effects(memory, "readv", {5, 0x3000, 2}, 10),
      IsSupersetOf({"input [0x1000, +4) from @descriptor(0x5) +4", "input [0x2000, +6) from @descriptor(0x5) +6"}));
  EXPECT_THAT(effects(memory, "writev", {1, 0x3000, 2}, 4),
              IsSupersetOf({"output @descriptor(0x1) +4 from [0x1000, +4)"}));
}

TEST(ExternalEffects, ThreadsAndCallbacks) {
  FewBytes memory;
  EXPECT_THAT(effects(memory, "pthread_create", {0x1000, 0, 0x400000, 0x2000}, 0),
              Contains("start-thread argument 3 from argument 4"));
  EXPECT_THAT(effects(memory, "pthread_mutex_lock", {0x1000}, 0), Contains("acquire @lock(0x1000)"));
  EXPECT_THAT(effects(memory, "pthread_mutex_unlock", {0x1000}, 0), Contains("release @lock(0x1000)"));
  EXPECT_THAT(effects(memory, "qsort", {0x1000, 3, 4, 0x400000}, std::nullopt),
              Contains("callback argument 4 from [0x1000, +12), [0x1000, +12)"));
  EXPECT_THAT(effects(memory, "exit", {1}, std::nullopt), ElementsAre("end-process outside from argument 1"));
}

TEST(ExternalEffects, BitsOfAnIntAboveTheLow32AreIgnored) {
  FewBytes memory;
  memory.put(0x100, terminated("x"));
  EXPECT_THAT(effects(memory, "snprintf", {0x1000, 8, 0x100}, 0xffffffff), Not(Contains(testing::StartsWith("copy"))));
  EXPECT_THAT(effects(memory, "getc", {0x5555}, 0xffffffff), Contains("return result from @stream(0x5555) +1"));
  EXPECT_THAT(effects(memory, "getc", {0x5555}, 'x'), Contains("input result from @stream(0x5555) +1"));
}

}  // namespace
}  // namespace culprit::program
