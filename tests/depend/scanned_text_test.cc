#include "depend/scanned_text.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::depend {
namespace {

struct Case {
  const char* format;
  const char* text;
  std::vector<std::string> parts;
  uint64_t end;
};

TEST(ScannedText, TakesWhatTheConversionsTake) {
  const Case cases[] = {
      {"%d", "3 -15 0", {"3"}, 1},
      {"%d %d %d", "3 -15 0", {"3", "-15", "0"}, 7},
      {"%d,%3s %d", "120,wxyz", {"120", "wxy"}, 7},
      {"%*d %d", "1 2", {"2"}, 3},
      {"%c%c", "ab", {"a", "b"}, 2},
      {" %2c", "  abc", {"ab"}, 4},
      {"%[a-c]%[^x]", "abcdex", {"abc", "de"}, 5},
      {"%i", "0x1f", {"0x1f"}, 4},
      {"%i", "12ab", {"12"}, 2},
      {"%x", "ffg", {"ff"}, 2},
      {"%lf;%f", "1.5e-3;2", {"1.5e-3", "2"}, 8},
      {"%d", "x", {}, 0},
      {"%d%%", "5%", {"5"}, 2},
      {"key=%ld", "key=77", {"77"}, 6},
      {"%d", "", {}, 0},
  };
  for (const Case& each : cases) {
    const std::string text = each.text;
    const ScannedText scanned = scan_text(each.format, text, 0);
    std::vector<std::string> parts;
    for (const ScannedPart& part : scanned.parts) parts.push_back(text.substr(part.first, part.bytes));
    EXPECT_EQ(parts, each.parts) << each.format << " of " << each.text;
    EXPECT_EQ(scanned.end, each.end) << each.format << " of " << each.text;
  }
}

TEST(ScannedText, BeginsWhereTheStreamStands) {
  const ScannedText scanned = scan_text("%d", "3 -15 0", 1);
  ASSERT_EQ(scanned.parts.size(), 1u);
  EXPECT_EQ(scanned.parts[0].first, 2u);
  EXPECT_EQ(scanned.end, 5u);
}

}  // namespace
}  // namespace culprit::depend
