#include "cli/diff_view.h"

#include <fmt/format.h>

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

report::DifferenceView difference_view(const ExecutionDifference& difference, const program::ProgramModel& model) {
  report::DifferenceView view;
  view.facts.push_back(fmt::format("{} points correspond, {} are in the good run only, {} in the bad one only",
                                   difference.aligned, difference.left_only, difference.right_only));
  if (difference.last_common) {
    view.facts.push_back(fmt::format("they part for good after {}", statement_text(model, *difference.last_common)));
  }
  for (const LoneRegion& region : difference.regions) {
    const std::string after = region.after ? statement_text(model, *region.after) : "the start";
    const std::string text =
        fmt::format("{} points, {} to {}", region.points, statement_text(model, region.first_statement),
                    model.position_text(region.last_statement));
    // What the other run does at the same place stands beside it.
    const bool beside = !view.rows.empty() && view.rows.back().after == after &&
                        (region.in_left ? view.rows.back().good : view.rows.back().bad).empty();
    if (!beside) view.rows.push_back({.after = after, .good = {}, .bad = {}});
    (region.in_left ? view.rows.back().good : view.rows.back().bad) = text;
  }
  for (const DifferingStatement& each : difference.statements) {
    view.values.push_back({.place = statement_text(model, each.statement),
                           .name = written_name(model, each.statement),
                           .good = fmt::format("{}", static_cast<int64_t>(each.left_value)),
                           .bad = fmt::format("{}", static_cast<int64_t>(each.right_value)),
                           .how_often = fmt::format("{} of {}", each.instances, each.of)});
  }
  return view;
}

}  // namespace culprit::cli
