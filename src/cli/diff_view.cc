#include "cli/diff_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace culprit::cli {

std::string statement_text(const program::ProgramModel& model, uint32_t statement) {
  return fmt::format("{} {}", model.position_text(statement),
                     model.function_name(model.function_of_statement(statement)));
}

std::string written_name(const program::ProgramModel& model, uint32_t statement) {
  const auto& record = model.statement(statement);
  if (record.kind == format::StatementKind::kCall && record.detail != program::kNone) {
    const uint32_t callee = model.call(record.detail).callee;
    return callee == program::kNone ? "what was called" : fmt::format("{}()", model.function_name(callee));
  }
  if (record.kind == format::StatementKind::kPrologue) return "a parameter";
  if (record.kind != format::StatementKind::kAssignment || record.detail == program::kNone) {
    return std::string(program::name_of(record.kind));
  }
  return std::string(model.text(model.variable(record.detail).name));
}

std::string DiffedPrograms::text(bool in_good, uint32_t statement) const {
  return statement_text(of(in_good), statement) + (is_changed(in_good, statement) ? " (changed)" : "");
}

std::string DiffedPrograms::position(bool in_good, uint32_t statement) const {
  return of(in_good).position_text(statement) + (is_changed(in_good, statement) ? " (changed)" : "");
}

namespace {

/// Of one or more: "line 3", "lines 3, 4 and 9", "lines 3, 4, 5, 6, 7, … (31 lines)"
std::string lines_text(const std::vector<uint32_t>& lines) {
  constexpr size_t kMost = 6;
  if (lines.size() == 1) return fmt::format("line {}", lines.front());
  if (lines.size() > kMost) {
    return fmt::format("lines {}, … ({} lines)", fmt::join(lines.begin(), lines.begin() + kMost - 1, ", "),
                       lines.size());
  }
  return fmt::format("lines {} and {}", fmt::join(lines.begin(), lines.end() - 1, ", "), lines.back());
}

std::string function_text(const program::ProgramModel& model, uint32_t function) {
  const std::string path = model.file_path(model.function(function).file);
  return path.empty()
             ? model.function_name(function)
             : fmt::format("{} {}", std::filesystem::path(path).filename().string(), model.function_name(function));
}

}  // namespace

std::vector<std::string> version_facts(const DiffedPrograms& programs) {
  std::vector<std::string> facts;
  for (const FunctionChange& change : programs.versions->changes()) {
    if (!change.right) {
      facts.push_back(fmt::format("{}: in the good version only", function_text(programs.good, *change.left)));
    } else if (!change.left) {
      facts.push_back(fmt::format("{}: in the bad version only", function_text(programs.bad, *change.right)));
    } else {
      std::vector<std::string> places;
      if (!change.left_lines.empty()) places.push_back(lines_text(change.left_lines) + " of the good version");
      if (!change.right_lines.empty()) places.push_back(lines_text(change.right_lines) + " of the bad version");
      if (places.empty()) places.emplace_back("in code without lines");
      facts.push_back(fmt::format("{}: {}", function_text(programs.good, *change.left), fmt::join(places, ", ")));
    }
  }
  return facts;
}

std::vector<RepeatedRegion> repeated_regions(const std::vector<LoneRegion>& regions) {
  std::vector<RepeatedRegion> repeated;
  std::map<std::tuple<bool, uint32_t, uint32_t, std::optional<uint32_t>>, size_t> known;
  for (const LoneRegion& region : regions) {
    const auto [at, is_new] = known.try_emplace(
        {region.in_left, region.first_statement, region.last_statement, region.after}, repeated.size());
    if (is_new) repeated.push_back({.first = &region, .points = 0, .times = 0});
    repeated[at->second].points += region.points;
    ++repeated[at->second].times;
  }
  return repeated;
}

std::vector<RepeatedRegion> regions_of(const ExecutionDifference& difference, const DiffedPrograms& programs) {
  if (programs.versions) return repeated_regions(difference.regions);
  std::vector<RepeatedRegion> single;
  for (const LoneRegion& region : difference.regions) {
    single.push_back({.first = &region, .points = region.points, .times = 1});
  }
  return single;
}

const LoneRegion* first_other_decision(const ExecutionDifference& difference, const DiffedPrograms& programs) {
  if (!programs.versions) return nullptr;
  const auto found = std::ranges::find_if(difference.regions, [&](const LoneRegion& region) {
    return region.after && !programs.is_changed(region.in_left, region.first_statement);
  });
  return found == difference.regions.end() ? nullptr : &*found;
}

report::DifferenceView difference_view(const ExecutionDifference& difference, const DiffedPrograms& programs) {
  report::DifferenceView view;
  if (programs.versions) {
    const std::vector<std::string> facts = version_facts(programs);
    view.facts.push_back(fmt::format("the versions differ in {} functions", facts.size()));
    view.facts.insert(view.facts.end(), facts.begin(), facts.end());
  }
  view.facts.push_back(fmt::format("{} points correspond, {} are in the good run only, {} in the bad one only",
                                   difference.aligned, difference.left_only, difference.right_only));
  if (const LoneRegion* other = first_other_decision(difference, programs)) {
    view.facts.push_back(
        fmt::format("in code of both versions they first part after {}", programs.text(true, *other->after)));
  }
  if (difference.last_common) {
    view.facts.push_back(fmt::format("they part for good after {}", programs.text(true, *difference.last_common)));
  }
  for (const RepeatedRegion& repeated : regions_of(difference, programs)) {
    const LoneRegion& region = *repeated.first;
    const std::string after = region.after ? programs.text(true, *region.after) : "the start";
    const std::string times = repeated.times > 1 ? fmt::format(", {} times", repeated.times) : "";
    const std::string text =
        fmt::format("{} points, {} to {}{}", repeated.points, programs.text(region.in_left, region.first_statement),
                    programs.position(region.in_left, region.last_statement), times);
    // What the other run does at the same place stands beside it.
    const bool beside = !view.rows.empty() && view.rows.back().after == after &&
                        (region.in_left ? view.rows.back().good : view.rows.back().bad).empty();
    if (!beside) view.rows.push_back({.after = after, .good = {}, .bad = {}});
    (region.in_left ? view.rows.back().good : view.rows.back().bad) = text;
  }
  for (const DifferingStatement& each : difference.statements) {
    view.values.push_back({.place = programs.text(true, each.statement),
                           .name = written_name(programs.good, each.statement),
                           .good = fmt::format("{}", static_cast<int64_t>(each.left_value)),
                           .bad = fmt::format("{}", static_cast<int64_t>(each.right_value)),
                           .how_often = fmt::format("{} of {}", each.instances, each.of)});
  }
  return view;
}

}  // namespace culprit::cli
