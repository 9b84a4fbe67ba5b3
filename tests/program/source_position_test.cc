// What users type, found or answered with candidates.
#include "program/source_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "program/sample_model.h"

namespace culprit::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProgramModel sample() {
  return ProgramModel::from_bytes(model_bytes(SampleModel::tables()), "sample");
}

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return std::string(error.what()) + " / " + error.remedy();
  }
  return "no error";
}

TEST(SourcePosition, Parses) {
  EXPECT_EQ(parse_source_position("a.c:8"), (SourcePosition{.file = "a.c", .line = 8}));
  EXPECT_EQ(parse_source_position("s/a.c:8:3"), (SourcePosition{.file = "s/a.c", .line = 8, .column = 3}));
  EXPECT_EQ(parse_source_position("a.c:8:3#12"),
            (SourcePosition{.file = "a.c", .line = 8, .column = 3, .instance = 12}));
  EXPECT_EQ(parse_source_position("a.c:8#2"), (SourcePosition{.file = "a.c", .line = 8, .instance = 2}));
  EXPECT_EQ(parse_source_position("odd:name.c:8"), (SourcePosition{.file = "odd:name.c", .line = 8}));
  for (const char* bad : {"", "a.c", ":8", "a.c:", "a.c:x", "a.c:0", "a.c:8:", "a.c:99999999999", "8"}) {
    EXPECT_THROW(parse_source_position(bad), UserError) << bad;
  }
}

TEST(SourcePosition, FindsStatements) {
  const ProgramModel model = sample();
  EXPECT_THAT(find_statements(model, {.file = "sample.c", .line = 8}), ElementsAre(3, 4));
  EXPECT_THAT(find_statements(model, {.file = "/src/sample.c", .line = 8, .column = 35}), ElementsAre(4));
  EXPECT_THAT(find_statements(model, {.file = "src/sample.c", .line = 7}), ElementsAre(2));
}

TEST(SourcePosition, MissesListCandidates) {
  const ProgramModel model = sample();
  EXPECT_THAT(complaint([&] { find_statements(model, {.file = "simple.c", .line = 8}); }), HasSubstr("mean sample.c?"));
  EXPECT_THAT(complaint([&] { find_statements(model, {.file = "ample.c", .line = 8}); }), HasSubstr("no file"));
  EXPECT_THAT(complaint([&] { find_statements(model, {.file = "sample.c", .line = 9}); }),
              HasSubstr("are 7, 8, 10, 12"));
  EXPECT_THAT(complaint([&] { find_statements(model, {.file = "sample.c", .line = 8, .column = 1}); }),
              HasSubstr("column 5, 35"));
  EXPECT_THAT(complaint([&] { find_functions(model, "ad"); }), HasSubstr("mean add?"));
}

TEST(SourcePosition, FunctionsAndVariables) {
  const ProgramModel model = sample();
  EXPECT_THAT(find_functions(model, "add"), ElementsAre(0));
  EXPECT_THAT(find_functions(model, "twice"), ElementsAre(1));
  EXPECT_EQ(find_variable(model, 3, "step"), 1u);
  EXPECT_EQ(find_variable(model, 3, "n"), 0u);
  EXPECT_EQ(find_variable(model, 3, "total"), 2u);
  EXPECT_EQ(find_variable(model, 7, "step"), std::nullopt);  // after its block
  EXPECT_EQ(find_variable(model, 3, "nothing"), std::nullopt);
  EXPECT_THAT(variables_in_reach(model, 3), ElementsAre(1, 0, 2));
}

}  // namespace
}  // namespace culprit::program
