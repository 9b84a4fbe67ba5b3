// The table against the C library: every byte that a call changes is declared written, and nothing depends on bytes
// that are not declared read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <cstring>

#include "program/external/real_calls.h"

namespace culprit::program::external {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Reality : public ::testing::TestWithParam<RealCall> {};

TEST_P(Reality, AgreesWithTheTable) {
  EXPECT_THAT(contradictions(GetParam(), built_in_table()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Calls, Reality, ::testing::ValuesIn(real_calls()),
                         [](const auto& info) { return std::to_string(info.index) + "_" + info.param.function; });

/// What the check says about a call when the table has this line.
std::vector<std::string> said_of(const char* line, const RealCall& call) {
  const TableText text{"wrong.txt", line};
  return contradictions(call, Table(std::span(&text, 1)));
}

TEST(RealityCheck, FindsAnUndeclaredWrite) {
  const RealCall call{"memcpy", {Buffer{8}, Text{"abcdefg"}, 8}};
  EXPECT_THAT(said_of("memcpy(dst, src, n): copies src[n] to dst; returns dst", call), IsEmpty());
  EXPECT_THAT(said_of("memcpy(dst, src, n): copies src[n - 1] to dst; returns dst", call),
              Contains(HasSubstr("changed")));
}

TEST(RealityCheck, FindsAnUndeclaredRead) {
  EXPECT_THAT(said_of("strlen(s): returns from s[1]", {"strlen", {Text{"abc"}}}),
              Contains(HasSubstr("depends on byte")));
}

TEST(RealityCheck, FindsAWriteThatDoesNotHappen) {
  EXPECT_THAT(said_of("strlen(s): writes s[str] from s[1]; returns from s[1]", {"strlen", {Text{"abc"}}}),
              Contains(HasSubstr("depends on byte")));
}

TEST(RealityCheck, FindsAReadThatDoesNotMatter) {
  EXPECT_THAT(said_of("abs(int x) -> int: returns from x", {"abs", {-3}}), IsEmpty());
  EXPECT_THAT(said_of("atoi(s) -> int: returns from s[numeral(s) + 1]", {"atoi", {Text{"x12"}}}), IsEmpty());
  EXPECT_THAT(said_of("abs(s) -> int: returns from s[4]", {"abs", {Text{"abc"}}}),
              Contains(HasSubstr("nothing depends")));
}

TEST(RealityCheck, FindsAWrongCopyAndAWrongResult) {
  EXPECT_THAT(said_of("memset(dst, int c, n): copies (dst + 4)[n] to dst; reads dst[n + 4]; returns from c",
                      {"memset", {Buffer{8}, 'x', 4}}),
              Contains(HasSubstr("of a copy differs")));
  EXPECT_THAT(
      said_of("mempcpy(dst, src, n): copies src[n] to dst; returns dst", {"mempcpy", {Buffer{8}, Text{"abc"}, 4}}),
      Contains(HasSubstr("no copy")));
}

TEST(RealityCheck, FindsOutputThatCameFromElsewhere) {
  EXPECT_THAT(said_of("state @stream(f): s\nfputs(s, f) -> int: outputs (s + 1)[len(s)] to @stream(f); reads s[str]; "
                      "returns from nothing",
                      {"fputs", {Text{"abc"}, Sink{}}}),
              Contains(HasSubstr("of the output is no copy")));
}

}  // namespace
}  // namespace culprit::program::external
