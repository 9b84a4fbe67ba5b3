#include "cli/diff_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace culprit::cli {

using nlohmann::json;

namespace {

const char* run_name(bool in_good) {
  return in_good ? "good" : "bad";
}

/// Where a crash or an early end takes the runs apart for good, which is nearer to the cause than where they first
/// part.
void print_parting(const ExecutionDifference& difference, const DiffedPrograms& programs) {
  if (!difference.last_common) return;
  fmt::print("they part for good after {}\n", programs.text(true, *difference.last_common));
  for (const bool in_good : {true, false}) {
    const LoneRegion& tail = difference.tails[in_good];
    if (tail.points == 0) {
      fmt::print("  {:<4} ends there\n", run_name(in_good));
    } else {
      fmt::print("  {:<4} {:>8} points more, from {}\n", run_name(in_good), tail.points,
                 programs.text(in_good, tail.first_statement));
    }
  }
}

void print_regions(const ExecutionDifference& difference, const DiffedPrograms& programs, size_t most) {
  fmt::print("\nonly in one run:\n");
  const std::vector<RepeatedRegion> regions = repeated_regions(difference.regions);
  for (size_t each = 0; each < std::min(most, regions.size()); ++each) {
    const LoneRegion& region = *regions[each].first;
    // What was changed decides about what follows it.
    const bool after_change = region.after && programs.is_changed(true, *region.after);
    fmt::print("  {:<4} {:>8} points  {} .. {}{}{}\n", run_name(region.in_left), regions[each].points,
               programs.text(region.in_left, region.first_statement),
               programs.position(region.in_left, region.last_statement),
               after_change ? fmt::format(", after {}", programs.position(true, *region.after)) : "",
               regions[each].times > 1 ? fmt::format(", {} times", regions[each].times) : "");
  }
  if (regions.size() > most) fmt::print("  … {} more\n", regions.size() - most);
}

std::string creator_text(const DiffedPrograms& programs, bool in_good, uint32_t statement) {
  return statement == program::kNone ? "a place that is not known" : programs.text(in_good, statement);
}

json function_json(const FunctionChange& change, const DiffedPrograms& programs) {
  const bool in_good = change.left.has_value();
  const program::ProgramModel& model = programs.of(in_good);
  const uint32_t function = in_good ? *change.left : *change.right;
  json one{{"function", model.function_name(function)}, {"file", model.file_path(model.function(function).file)}};
  if (change.left) one["good_lines"] = change.left_lines;
  if (change.right) one["bad_lines"] = change.right_lines;
  return one;
}

}  // namespace

std::string end_text(const ProcessEnd& end) {
  return end.signal ? fmt::format("signal {}", end.signal) : fmt::format("exit status {}", end.exit_status);
}

std::optional<size_t> first_difference(const std::string& left, const std::string& right) {
  if (left == right) return std::nullopt;
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<size_t>(at.first - left.begin());
}

void print_runs(const DiffedRun& good, const DiffedRun& bad) {
  fmt::print("good: {}, bad: {}\n", end_text(good.end), end_text(bad.end));
  if (const auto at = first_difference(good.output, bad.output)) fmt::print("output differs from byte {} on\n", *at);
}

void print_versions(const DiffedPrograms& programs, size_t most) {
  if (!programs.versions) return;
  const std::vector<std::string> facts = version_facts(programs);
  if (facts.empty()) {
    fmt::print("no function of the versions differs\n");
    return;
  }
  fmt::print("the versions differ in {} function{}:\n", facts.size(), facts.size() == 1 ? "" : "s");
  for (size_t each = 0; each < std::min(most, facts.size()); ++each) fmt::print("  {}\n", facts[each]);
  if (facts.size() > most) fmt::print("  … {} more\n", facts.size() - most);
}

void print_difference(const ExecutionDifference& difference, const DiffedPrograms& programs, size_t most) {
  fmt::print("{} points correspond, {} are in the good run only, {} in the bad one only\n", difference.aligned,
             difference.left_only, difference.right_only);
  if (!difference.regions.empty()) {
    const LoneRegion& first = difference.regions.front();
    if (first.after) fmt::print("control first parts after {}\n", programs.text(true, *first.after));
    const LoneRegion* other = first_other_decision(difference, programs);
    if (other && other != &first) {
      fmt::print("in code of both versions it first parts after {}\n", programs.text(true, *other->after));
    }
    print_parting(difference, programs);
    print_regions(difference, programs, most);
  }
  if (difference.statements.empty()) return;
  fmt::print("\nother values at corresponding points:\n");
  for (size_t each = 0; each < std::min(most, difference.statements.size()); ++each) {
    const DifferingStatement& statement = difference.statements[each];
    fmt::print("  {}: {} {} instead of {} ({} of {} times)\n", programs.text(true, statement.statement),
               written_name(programs.good, statement.statement), static_cast<int64_t>(statement.right_value),
               static_cast<int64_t>(statement.left_value), statement.instances, statement.of);
  }
  if (difference.statements.size() > most) fmt::print("  … {} more\n", difference.statements.size() - most);
}

void print_other_threads(const TraceDifference& whole, const DiffedPrograms& programs, size_t most) {
  for (size_t each = 1; each < whole.threads.size(); ++each) {
    const ThreadDifference& thread = whole.threads[each];
    fmt::print("\nthread {} ({} in the bad run), created at {}\n", thread.left_thread, thread.right_thread,
               programs.text(true, thread.created_by));
    print_difference(thread.difference, programs, most);
  }
  for (const bool in_good : {true, false}) {
    for (const uint32_t statement : whole.alone[in_good]) {
      fmt::print("\na thread of the {} run only, created at {}\n", run_name(in_good),
                 creator_text(programs, in_good, statement));
    }
  }
}

json difference_json(const ExecutionDifference& difference, const DiffedPrograms& programs) {
  json whole{{"aligned", difference.aligned},
             {"good_only", difference.left_only},
             {"bad_only", difference.right_only},
             {"regions", json::array()},
             {"values", json::array()}};
  if (const LoneRegion* other = first_other_decision(difference, programs)) {
    whole["parts_in_both_versions_after"] = programs.good.position_text(*other->after);
  }
  if (difference.last_common) whole["parts_for_good_after"] = programs.good.position_text(*difference.last_common);
  for (const RepeatedRegion& repeated : regions_of(difference, programs)) {
    const LoneRegion& region = *repeated.first;
    const program::ProgramModel& model = programs.of(region.in_left);
    json one{{"run", run_name(region.in_left)},
             {"points", repeated.points},
             {"from", model.position_text(region.first_statement)},
             {"to", model.position_text(region.last_statement)},
             {"function", model.function_name(model.function_of_statement(region.first_statement))}};
    if (region.after) one["after"] = programs.good.position_text(*region.after);
    if (programs.versions) {
      one["times"] = repeated.times;
      one["changed"] = programs.is_changed(region.in_left, region.first_statement);
      one["after_changed"] = region.after && programs.is_changed(true, *region.after);
    }
    whole["regions"].push_back(std::move(one));
  }
  const program::ProgramModel& model = programs.good;
  for (const DifferingStatement& statement : difference.statements) {
    whole["values"].push_back({{"position", model.position_text(statement.statement)},
                               {"function", model.function_name(model.function_of_statement(statement.statement))},
                               {"writes", written_name(model, statement.statement)},
                               {"good", static_cast<int64_t>(statement.left_value)},
                               {"bad", static_cast<int64_t>(statement.right_value)},
                               {"instances", statement.instances},
                               {"of", statement.of}});
    if (programs.versions) whole["values"].back()["changed"] = programs.is_changed(true, statement.statement);
  }
  return whole;
}

json diff_json(const ExecutionDifference& difference, const DiffedPrograms& programs, const DiffedRun& good,
               const DiffedRun& bad) {
  const auto end = [](const ProcessEnd& one) { return json{{"exit_status", one.exit_status}, {"signal", one.signal}}; };
  json whole = difference_json(difference, programs);
  whole["good"] = end(good.end);
  whole["bad"] = end(bad.end);
  if (const auto at = first_difference(good.output, bad.output)) whole["output_differs_at"] = *at;
  if (!programs.versions) return whole;
  json functions = json::array();
  for (const FunctionChange& change : programs.versions->changes()) {
    functions.push_back(function_json(change, programs));
  }
  whole["versions"] = {{"functions", std::move(functions)}, {"unknown_texts", programs.versions->unknown_texts()}};
  return whole;
}

void add_other_threads(json& whole, const TraceDifference& threads, const DiffedPrograms& programs) {
  for (size_t each = 1; each < threads.threads.size(); ++each) {
    const ThreadDifference& thread = threads.threads[each];
    json one = difference_json(thread.difference, programs);
    one["created_at"] = programs.good.position_text(thread.created_by);
    one["good_thread"] = thread.left_thread;
    one["bad_thread"] = thread.right_thread;
    whole["threads"].push_back(std::move(one));
  }
  for (const bool in_good : {true, false}) {
    for (const uint32_t statement : threads.alone[in_good]) {
      const std::string place = statement == program::kNone ? creator_text(programs, in_good, statement)
                                                            : statement_text(programs.of(in_good), statement);
      whole["threads_of_one_run"].push_back({{"run", run_name(in_good)}, {"created_at", place}});
    }
  }
}

}  // namespace culprit::cli
