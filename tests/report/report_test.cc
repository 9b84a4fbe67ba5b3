// An explanation as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/text.h"

namespace culprit::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Explanation sample() {
  Explanation explanation;
  explanation.command = "prog in";
  const SourcePlace place{.file = "/src/a.c", .line = 7, .column = 3, .function = "f"};
  explanation.failure = Failure{.kind = "abort", .message = "It aborted.", .place = place};
  explanation.activations = {{.place = place, .variables = {{"n", "-1"}}}};
  explanation.findings = {
      {.kind = "critical-branch", .place = place, .instance = 2, .evidence = "It led here.", .proved = true}};
  explanation.suspects = {{.rank = 1, .place = place, .why = "it aborts"}};
  explanation.effort = {.experiments = 5, .seconds = 0.5, .complete = false};
  return explanation;
}

TEST(Report, JsonHasWhatMachinesAskFor) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["failure"]["kind"], "abort");
  EXPECT_EQ(json["failure"]["line"], 7);
  EXPECT_EQ(json["findings"][0]["instance"], 2);
  EXPECT_EQ(json["findings"][0]["proved"], true);
  EXPECT_EQ(json["suspects"][0]["rank"], 1);
  EXPECT_EQ(json["suspects"][0]["function"], "f");
  EXPECT_EQ(json["activations"][0]["variables"][0]["value"], "-1");
  EXPECT_EQ(json["complete"], false);
}

TEST(Report, JsonSurvivesBytesThatAreNoText) {
  Explanation explanation = sample();
  explanation.failure->message = "\xff\xfe";
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(explanation)));
}

TEST(Report, TextSaysWhatHappenedAndWhatIsProved) {
  const std::string text = to_text(sample(), {.colour = false});
  EXPECT_THAT(text, HasSubstr("Failure: It aborted."));
  EXPECT_THAT(text, HasSubstr("a.c:7 in f"));
  EXPECT_THAT(text, HasSubstr("n = -1"));
  EXPECT_THAT(text, HasSubstr("(proved by a re-run)"));
  EXPECT_THAT(text, HasSubstr("the search did not finish"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Report, TextOfARecursionFitsAScreen) {
  Explanation explanation = sample();
  for (int i = 0; i < 60; ++i)
    explanation.activations.push_back({.place = explanation.failure->place, .variables = {}});
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30);
}

TEST(Report, TextOfASuccessSaysSo) {
  Explanation explanation;
  explanation.command = "prog";
  EXPECT_EQ(to_text(explanation, {.colour = false}), "prog did not fail.\n");
}

}  // namespace
}  // namespace culprit::report
