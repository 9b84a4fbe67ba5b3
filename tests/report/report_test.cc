// An explanation as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/html.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/text.h"
#include "temporary_directory.h"

namespace culprit::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Explanation sample() {
  Explanation explanation;
  explanation.command = "prog in";
  const SourcePlace place{.file = "/src/a.c", .line = 7, .column = 3, .function = "f"};
  explanation.failure = Failure{.kind = "abort", .message = "It aborted.", .place = place};
  explanation.failure->origin = ValueStep{.place = {.file = "/src/b.c", .line = 3, .function = "g"}, .how = "computed"};
  explanation.failure->path = {{.place = place, .how = "formatted"}, *explanation.failure->origin};
  explanation.activations = {{.place = place, .variables = {{"n", "-1"}}}};
  explanation.findings = {
      {.kind = "critical-branch", .place = place, .instance = 2, .evidence = "It led here.", .proved = true}};
  const SourcePlace written{.file = "/src/c.c", .line = 9, .function = "h"};
  explanation.findings[0].route = {{.place = place, .how = "start", .instance = 2},
                                   {.place = written, .how = "executed", .instance = 4}};
  explanation.suspects = {{.rank = 1, .place = place, .why = "it aborts"}};
  explanation.effort = {.experiments = 5, .seconds = 0.5, .complete = false};
  return explanation;
}

TEST(Report, JsonHasWhatMachinesAskFor) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["failure"]["kind"], "abort");
  EXPECT_EQ(json["failure"]["line"], 7);
  EXPECT_EQ(json["failure"]["origin"]["line"], 3);
  EXPECT_EQ(json["failure"]["origin"]["how"], "computed");
  EXPECT_EQ(json["failure"]["path"][0]["how"], "formatted");
  EXPECT_EQ(json["findings"][0]["instance"], 2);
  EXPECT_EQ(json["findings"][0]["proved"], true);
  EXPECT_EQ(json["findings"][0]["route"][1]["line"], 9);
  EXPECT_EQ(json["findings"][0]["route"][1]["how"], "executed");
  EXPECT_EQ(json["findings"][0]["route"][1]["instance"], 4);
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

TEST(Report, SarifNamesFailureAndSuspects) {
  Explanation explanation = sample();
  explanation.failure->place.file = "/src/odd name.c";
  explanation.failure->message = "\xff";
  const auto log = nlohmann::json::parse(to_sarif(explanation, "1.2"));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["version"], "1.2");
  ASSERT_EQ(run["results"].size(), 2);
  const auto& location = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(location["artifactLocation"]["uri"], "file:///src/odd%20name.c");
  EXPECT_EQ(location["region"]["startLine"], 7);
  EXPECT_EQ(run["results"][0]["stacks"][0]["frames"][0]["location"]["message"]["text"], "n = -1");
  EXPECT_EQ(run["results"][1]["rank"], 100);
  EXPECT_EQ(run["results"][0]["relatedLocations"][0]["message"]["text"], "The value there was computed here.");
  const auto& flow = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
  EXPECT_EQ(flow[0]["location"]["message"]["text"], "It led here.");
  EXPECT_EQ(flow[1]["location"]["message"]["text"], "then executed");
  EXPECT_EQ(flow[1]["location"]["physicalLocation"]["region"]["startLine"], 9);
  // Every rule that a result names is declared.
  std::set<std::string> rules;
  for (const auto& rule : run["tool"]["driver"]["rules"]) rules.insert(rule["id"].get<std::string>());
  for (const auto& result : run["results"]) EXPECT_TRUE(rules.contains(result["ruleId"].get<std::string>()));
}

TEST(Report, HtmlShowsNothingOfTheProgramAsMarkup) {
  Explanation explanation = sample();
  explanation.command = "prog '<script>alert(1)</script>'";
  explanation.activations[0].variables[0].value = "\"<b>\"";
  const std::string page = to_html(explanation);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("&quot;&lt;b&gt;&quot;"));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("This file cannot be read here."));
}

TEST(Report, TextSaysHowItWentOnToTheFailure) {
  Explanation explanation = sample();
  EXPECT_THAT(to_text(explanation, {.colour = false}), HasSubstr("then executed    c.c:9"));
  EXPECT_THAT(to_html(explanation), HasSubstr("(then executed)"));
  // A long way fits a screen.
  for (uint32_t line = 10; line < 30; ++line) {
    explanation.findings[0].route->push_back(
        {.place = {.file = "/src/c.c", .line = line, .function = "h"}, .how = "passed"});
  }
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_THAT(text, HasSubstr("(14 more steps: --json)"));
  EXPECT_THAT(text, HasSubstr("value passed     c.c:29"));
  EXPECT_THAT(text, Not(HasSubstr("c.c:25")));
  explanation.findings[0].route->clear();
  EXPECT_THAT(to_text(explanation, {.colour = false}), HasSubstr("No dependence known leads from there"));
}

TEST(Report, TextSaysWhatHappenedAndWhatIsProved) {
  const std::string text = to_text(sample(), {.colour = false});
  EXPECT_THAT(text, HasSubstr("Failure: It aborted."));
  EXPECT_THAT(text, HasSubstr("a.c:7 in f"));
  EXPECT_THAT(text, HasSubstr("n = -1"));
  EXPECT_THAT(text, HasSubstr("The value there was computed at b.c:3 in g"));
  EXPECT_THAT(text, HasSubstr("(proved by a re-run)"));
  EXPECT_THAT(text, HasSubstr("the search did not finish"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Report, TextSaysTheSameOfAPlaceOnce) {
  Explanation explanation = sample();
  explanation.findings.push_back(explanation.findings.front());
  const std::string text = to_text(explanation, {.colour = false});
  const std::string& evidence = explanation.findings.front().evidence;
  EXPECT_EQ(text.find(evidence), text.rfind(evidence));
}

TEST(Report, TextSaysWhoseVariablesAreShown) {
  Explanation explanation = sample();
  EXPECT_THAT(to_text(explanation, {.colour = false}), HasSubstr("\nThere, the program's variables were:"));
  explanation.activations[0].place = {.file = "/src/w.c", .line = 3, .column = 1, .function = "xfree"};
  EXPECT_THAT(to_text(explanation, {.colour = false}), HasSubstr("w.c:3 in xfree, the program's variables were:"));
}

TEST(Report, TextOfARecursionFitsAScreen) {
  Explanation explanation = sample();
  for (int i = 0; i < 60; ++i)
    explanation.activations.push_back({.place = explanation.failure->place, .variables = {}});
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30);
}

TEST(Report, TextOfManyVariablesHasThoseThatTheLinesName) {
  const tests::TemporaryDirectory folder;
  const std::filesystem::path source = folder.path() / "a.c";
  std::ofstream(source) << "use(last + ab);\n";
  Explanation explanation = sample();
  explanation.activations = {{.place = {.file = source, .line = 1, .column = 1, .function = "f"}, .variables = {}}};
  auto& variables = explanation.activations[0].variables;
  for (int i = 0; i < 40; ++i) variables.push_back({fmt::format("v{}", i), "0"});
  variables.push_back({"a", "1"});
  variables.push_back({"last", "7"});
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_THAT(text, HasSubstr("      last = 7\n      v0 = 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("a = 1")));
  EXPECT_THAT(text, HasSubstr("… and 30 more variables"));
}

TEST(Report, TextOfALongValueIsItsBeginning) {
  Explanation explanation = sample();
  std::string value;
  for (int i = 0; i < 150; ++i) value += "é";
  value.insert(0, "x");  // so that byte 200 is no first one of a character
  explanation.activations = {{.place = explanation.failure->place, .variables = {{"short", "1"}, {"long", value}}}};
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_THAT(text, HasSubstr("      short = 1\n"));
  EXPECT_THAT(text, HasSubstr(fmt::format("      long = {} …\n", value.substr(0, 199))));
}

TEST(Report, TextOfASuccessSaysSo) {
  Explanation explanation;
  explanation.command = "prog";
  EXPECT_EQ(to_text(explanation, {.colour = false}), "prog did not fail.\n");
}

TEST(Report, WhatARunThatPassesDoesIsShownEverywhere) {
  Explanation explanation;
  explanation.command = "prog";
  explanation.findings = {{.kind = "use-after-free",
                           .place = {.file = "/src/a.c", .line = 7, .function = "take"},
                           .evidence = "It uses it.",
                           .proved = true}};
  const std::string text = to_text(explanation, {.colour = false});
  EXPECT_THAT(text, HasSubstr("But it did what no program may do"));
  EXPECT_THAT(text, HasSubstr("It uses it."));
  EXPECT_THAT(to_html(explanation), HasSubstr("It uses it."));
  const auto log = nlohmann::json::parse(to_sarif(explanation, "1.2"));
  const auto& run = log["runs"][0];
  ASSERT_EQ(run["results"].size(), 1);
  EXPECT_EQ(run["results"][0]["ruleId"], "use-after-free");
  EXPECT_EQ(run["results"][0]["level"], "warning");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "use-after-free");
}

}  // namespace
}  // namespace culprit::report
