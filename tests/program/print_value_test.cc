// Values of hand-made types; those of real programs and libraries are tested with the extraction.
#include "program/print_value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "program/added_types.h"

namespace culprit::program {
namespace {

using namespace format;

template <typename Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::optional<std::vector<std::byte>> own_memory(uint64_t address, size_t bytes) {
  std::vector<std::byte> contents(bytes);
  std::memcpy(contents.data(), reinterpret_cast<const void*>(address), bytes);
  return contents;
}

TEST(PrintValue, WhatWasNeverWrittenIsNoNumber) {
  AddedTypes types;
  const uint32_t boolean = types.basic(8, BaseEncoding::kBoolean);
  const uint32_t small = types.basic(16, BaseEncoding::kUnsigned), mask = types.basic(32, BaseEncoding::kUnsigned);
  const ProgramModel model = types.model();
  const uint64_t fill = 0xAAAAAAAAAAAAAAAA;
  const ValueStyle style{.tells_unwritten = true};
  EXPECT_EQ(print_value(model, SampleModel::kInt, bytes_of(fill), {}, style), "never written");
  EXPECT_EQ(print_value(model, boolean, bytes_of(fill), {}, style), "never written");
  EXPECT_EQ(print_value(model, small, bytes_of(fill), {}, style), "never written (or 43690)");
  EXPECT_EQ(print_value(model, mask, bytes_of(fill), {}, style), "never written (or 2863311530)");
  EXPECT_EQ(print_value(model, SampleModel::kInt, bytes_of(uint64_t{0xAAAAAA00}), {}, style), "-1431655936");
  EXPECT_EQ(print_value(model, SampleModel::kInt, bytes_of(fill)), "-1431655766");
}

TEST(PrintValue, BasicTypes) {
  AddedTypes types;
  const uint32_t boolean = types.basic(8, BaseEncoding::kBoolean),
                 character = types.basic(8, BaseEncoding::kSignedCharacter);
  const uint32_t byte = types.basic(8, BaseEncoding::kUnsigned), number = types.basic(64, BaseEncoding::kUnsigned);
  const uint32_t single = types.basic(32, BaseEncoding::kFloat), wide = types.basic(128, BaseEncoding::kFloat);
  const ProgramModel model = types.model();
  EXPECT_EQ(print_value(model, SampleModel::kInt, bytes_of(-3)), "-3");
  EXPECT_EQ(print_value(model, boolean, bytes_of(true)), "true");
  EXPECT_EQ(print_value(model, character, bytes_of('a')), "'a'");
  EXPECT_EQ(print_value(model, character, bytes_of('\n')), "'\\n'");
  EXPECT_EQ(print_value(model, character, bytes_of('\'')), "'\\''");
  EXPECT_EQ(print_value(model, character, bytes_of('\xff')), "-1");
  EXPECT_EQ(print_value(model, byte, bytes_of(uint8_t{255})), "255");
  EXPECT_EQ(print_value(model, number, bytes_of(~uint64_t{0})), "18446744073709551615");
  EXPECT_EQ(print_value(model, single, bytes_of(0.5f)), "0.5");
  EXPECT_EQ(print_value(model, wide, bytes_of(-2.25L)), "-2.25");
  EXPECT_EQ(print_value(model, number, bytes_of(uint32_t{1})), "?");  // too short
  EXPECT_EQ(print_value(model, kNone, {}), "void");
}

TEST(PrintValue, EnumeratorsAndFlags) {
  AddedTypes types;
  const uint32_t flags = types.add(TypeKind::kEnumeration, 32);
  types.member("READ", kNone, 1, MemberKind::kEnumerator);
  types.member("WRITE", kNone, 2, MemberKind::kEnumerator);
  types.member("LAST", kNone, -1, MemberKind::kEnumerator);
  const ProgramModel model = types.model();
  EXPECT_EQ(print_value(model, flags, bytes_of(2)), "WRITE");
  EXPECT_EQ(print_value(model, flags, bytes_of(3)), "READ | WRITE");
  EXPECT_EQ(print_value(model, flags, bytes_of(-1)), "LAST");
  EXPECT_EQ(print_value(model, flags, bytes_of(8)), "8");
}

TEST(PrintValue, PointersAndStrings) {
  AddedTypes types;
  const uint32_t character = types.basic(8, BaseEncoding::kSignedCharacter);
  const uint32_t string = types.add(TypeKind::kPointer, 64, types.add(TypeKind::kConst, 0, character));
  const uint32_t pointer = types.add(TypeKind::kPointer, 64, SampleModel::kInt);
  const uint32_t name = types.add(TypeKind::kArray, 64, character, "", BaseEncoding::kNotBase, 8);
  const ProgramModel model = types.model();
  static const char text[128] = "say \"hi\"";
  const char* at = text;
  EXPECT_EQ(print_value(model, string, bytes_of(at), own_memory), fmt::format("{} \"say \\\"hi\\\"\"", fmt::ptr(at)));
  EXPECT_EQ(print_value(model, string, bytes_of(at)), fmt::format("{}", fmt::ptr(at)));
  EXPECT_EQ(print_value(model, pointer, bytes_of(uint64_t{0})), "0x0");
  EXPECT_EQ(print_value(model, name, std::as_bytes(std::span("ab\0rest!", 8))), "\"ab\"");
  static const std::string long_text(500, 'x');
  const char* long_at = long_text.c_str();
  EXPECT_EQ(print_value(model, string, bytes_of(long_at), own_memory, {.most_characters = 3}),
            fmt::format("{} \"xxx\"…", fmt::ptr(long_at)));
}

TEST(PrintValue, StructuresArraysAndBitFields) {
  struct Sample {
    int numbers[3];
    unsigned low : 3, high : 5;
    Sample* next;
  };
  AddedTypes types;
  const uint32_t number = types.basic(32, BaseEncoding::kUnsigned);
  const uint32_t numbers = types.add(TypeKind::kArray, 96, SampleModel::kInt, "", BaseEncoding::kNotBase, 3);
  const uint32_t next = types.add(TypeKind::kPointer, 64, number + 3);
  const uint32_t sample = types.add(TypeKind::kStruct, sizeof(Sample) * 8, kNone, "sample");
  types.member("numbers", numbers, 0);
  types.member("low", number, 96, MemberKind::kField, 3);
  types.member("high", number, 99, MemberKind::kField, 5);
  types.member("next", next, 128);
  const ProgramModel model = types.model();
  const Sample value{.numbers = {1, -2, 3}, .low = 5, .high = 17, .next = nullptr};
  EXPECT_EQ(print_value(model, sample, bytes_of(value)), "{numbers = {1, -2, 3}, low = 5, high = 17, next = 0x0}");
  EXPECT_EQ(print_value(model, numbers, bytes_of(value.numbers), {}, {.most_elements = 2}), "{1, -2, …}");
  EXPECT_EQ(print_value(model, sample, bytes_of(value), {}, {.deepest = 0}), "{…}");
  EXPECT_EQ(find_field(model, sample, "next")->offset, 16u);
  EXPECT_EQ(find_field(model, sample, "none"), std::nullopt);
}

}  // namespace
}  // namespace culprit::program
