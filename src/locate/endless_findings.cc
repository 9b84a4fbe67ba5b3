// What keeps a loop or a recursion going, in sentences for its reader.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "locate/findings.h"

namespace culprit {
namespace {

constexpr size_t kMostNamed = 4;  // arguments, values of one, calls of a cycle
constexpr size_t kShownValues = 3;

std::string line_text(const report::SourcePlace& place) {
  return fmt::format("line {}{}", place.line, place.function.empty() ? "" : " in " + place.function);
}

/// "at (3; written again each turn, last at line 12 in main)"
std::string text_of(const program::ProgramModel& model, const TestedValue& value,
                    const std::vector<VariableValue>& variables) {
  std::string name = value.is_call ? "what a call returned" : "what a pointer leads to";
  std::string holds;
  if (value.variable != program::kNone) {
    name = model.text(model.variable(value.variable).name);
    const auto known = std::find_if(variables.begin(), variables.end(),
                                    [&](const VariableValue& each) { return each.variable == value.variable; });
    if (known != variables.end()) holds = fmt::format("{}; ", known->value);
  }
  if (value.is_call) return fmt::format("{} (at {})", name, line_text(place_of_statement(model, value.read)));
  if (value.written == program::kNone) return fmt::format("{} ({}never written)", name, holds);
  const report::SourcePlace place = place_of_statement(model, value.written);
  const std::string where = place.line == 0 ? "" : " at " + line_text(place);
  return value.again ? fmt::format("{} ({}written again each turn{}{})", name, holds, where.empty() ? "" : ",", where)
                     : fmt::format("{} ({}written{}{} and not since)", name, holds, where, where.empty() ? "" : ",");
}

/// " It would be written at line 12 in main, but the branch at line 10 in main goes past it."
std::string skipped_text(const program::ProgramModel& model, const TestedValue& value) {
  if (value.skipped.empty()) return "";
  const SkippedWrite& first = value.skipped.front();
  return fmt::format(" {} would be written at {}, but the branch at {} goes past it.",
                     model.text(model.variable(value.variable).name), line_text(place_of_statement(model, first.write)),
                     line_text(place_of_branch(model, first.branch)));
}

}  // namespace

report::Finding finding_of(const program::ProgramModel& model, const LoopExit& exit,
                           const std::vector<VariableValue>& variables) {
  std::vector<std::string> tested, skipped;  // each text once
  const auto add = [](std::string text, std::vector<std::string>& texts) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  };
  for (const TestedValue& each : exit.tested) {
    add(text_of(model, each, variables), tested);
    add(skipped_text(model, each), skipped);
  }
  std::string evidence = "The loop is left here on a condition that never came true.";
  if (exit.executions == 0) {
    evidence = "The loop could be left here, but this was not executed in what was traced of the run.";
  } else if (!tested.empty()) {
    evidence += fmt::format(" It tests {}.", fmt::join(tested, ", "));
    if (!exit.changes()) evidence += " Nothing of that changes while the loop turns, so it cannot be left here.";
    for (const std::string& each : skipped) evidence += each;
  }
  return {.kind = "loop-exit",
          .place = place_of_branch(model, exit.block),
          .instance = 0,
          .evidence = std::move(evidence),
          .proved = false};
}

report::Finding finding_of(const program::ProgramModel& model, const Recursion& recursion) {
  std::vector<std::string> ring;
  for (auto call = recursion.calls.rbegin(); call != recursion.calls.rend() && ring.size() < kMostNamed; ++call) {
    const report::SourcePlace place = place_of_statement(model, *call);
    ring.push_back(fmt::format("{} (line {})", place.function, place.line));
  }
  std::string evidence =
      fmt::format("{} calls were active. They go round: {}", recursion.depth, fmt::join(ring, " calls "));
  if (recursion.calls.size() > ring.size())
    evidence += fmt::format(" calls {} more", recursion.calls.size() - ring.size());
  evidence += fmt::format(", which calls {} again.", place_of_statement(model, recursion.calls.back()).function);
  std::vector<std::string> changing;
  size_t constant = 0;
  for (const Recursion::Argument& each : recursion.arguments) {
    if (each.period == 1) {
      ++constant;
    } else if (changing.size() < kMostNamed) {
      const size_t shown = std::min(each.values.size(), kShownValues);
      std::vector<std::string> values(each.values.begin(), each.values.begin() + static_cast<long>(shown));
      std::reverse(values.begin(), values.end());
      changing.push_back(fmt::format(
          "{} changes each time (… {}){}", each.name, fmt::join(values, ", "),
          each.period == 0
              ? ""
              : fmt::format(" and comes back to the same every {} times: it goes in a circle", each.period)));
    }
  }
  if (changing.empty() && constant > 0) {
    evidence += " None of its arguments changes, so it has no end.";
  } else if (!changing.empty()) {
    evidence += fmt::format(" From one to the next, {}{}.", fmt::join(changing, ", "),
                            constant == 0 ? "" : "; nothing else changes");
  }
  return {.kind = "endless-recursion",
          .place = place_of_statement(model, recursion.calls.front()),
          .instance = 0,
          .evidence = std::move(evidence),
          .proved = true};
}

}  // namespace culprit
