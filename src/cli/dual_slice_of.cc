#include "cli/dual_slice_of.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/diff_view.h"
#include "cli/output_position.h"
#include "depend/criterion.h"

namespace culprit::cli {
namespace {

using depend::DependenceGraph;
using depend::Node;
using nlohmann::json;
using Criteria = std::array<std::vector<Node>, 2>;

std::vector<Node> nodes_at(const DependenceGraph& graph, const std::string& at) {
  if (const auto output = output_position(at)) return output_byte(graph, output->first, output->second);
  return values_used(graph, find_moment(graph, program::parse_source_position(at)));
}

Criteria criteria_at(const ComparedRun& left, const ComparedRun& right, const std::string& at) {
  Criteria criteria;
  std::optional<UserError> missing;
  for (const Side side : {kLeft, kRight}) {
    try {
      criteria[side] = nodes_at((side == kLeft ? left : right).graph, at);
    } catch (const UserError& error) {
      missing = error;
    }
  }
  if (missing && criteria[kLeft].empty() && criteria[kRight].empty()) throw *missing;
  return criteria;
}

Criteria criteria_by_output(const ComparedRun& left, const ComparedRun& right, std::optional<uint64_t> first_wrong_byte) {
  constexpr auto kOutput = depend::OutputStream::kStandardOutput;
  Criteria criteria;
  if (first_wrong_byte) {
    for (const Side side : {kLeft, kRight}) {
      const DependenceGraph& graph = (side == kLeft ? left : right).graph;
      if (*first_wrong_byte < graph.output_bytes(kOutput)) criteria[side] = graph.output_at(kOutput, *first_wrong_byte);
    }
  }
  if (criteria[kLeft].empty() && criteria[kRight].empty()) {
    if (right.graph.last() == depend::kNoNode)
      throw UserError("the bad run executed nothing", "name a place with --at");
    criteria[kRight] = {right.graph.last()};
  }
  return criteria;
}

/// Branches go to blocks, whose numbers tell nobody anything.
bool shows_value(const DualInstance& instance, const program::ProgramModel& model) {
  return model.statement(instance.statement).kind != format::StatementKind::kBranch;
}

std::string value_text(const std::optional<uint64_t>& value) {
  if (!value) return "?";
  const auto number = static_cast<int64_t>(*value);
  constexpr int64_t kLargest = int64_t{1} << 40;
  return number > -kLargest && number < kLargest ? fmt::format("{}", number) : fmt::format("{:#x}", *value);
}

std::string instance_text(const DualInstance& instance, const program::ProgramModel& model) {
  const bool in_left = instance.execution[kLeft].has_value(), in_right = instance.execution[kRight].has_value();
  std::string values;
  if (shows_value(instance, model)) {
    if (in_left && in_right && instance.value[kLeft]) {
      values = fmt::format("  {} | {}", value_text(instance.value[kLeft]), value_text(instance.value[kRight]));
    } else if (const auto& value = instance.value[in_left ? kLeft : kRight]) {
      values = fmt::format("  {}", value_text(value));
    }
  }
  const char* where = in_left && in_right ? "both" : in_left ? "good" : "bad";
  return fmt::format("  {:<4}  {}{}\n", where, statement_text(model, instance.statement), values);
}

}  // namespace

DualSlice dual_slice_of(const ComparedRun& left, const ComparedRun& right, const std::string& at,
                        std::optional<uint64_t> first_wrong_byte) {
  const Criteria criteria =
      at.empty() ? criteria_by_output(left, right, first_wrong_byte) : criteria_at(left, right, at);
  return dual_slice(left, right, criteria);
}

std::string dual_slice_text(const DualSlice& slice, const program::ProgramModel& model, size_t most) {
  std::string text = fmt::format(
      "dual slice: {} statement instances, of {} in the slice of the good run and {} in that of the bad one\n",
      slice.instances.size(), slice.ordinary[kLeft], slice.ordinary[kRight]);
  // What is nearest to the end matters most.
  const size_t first = slice.instances.size() > most ? slice.instances.size() - most : 0;
  if (first > 0) text += fmt::format("  … {} before\n", first);
  for (size_t each = first; each < slice.instances.size(); ++each) text += instance_text(slice.instances[each], model);
  return text;
}

json dual_slice_json(const DualSlice& slice, const program::ProgramModel& model) {
  json instances = json::array();
  for (const DualInstance& each : slice.instances) {
    json one{{"position", model.position_text(each.statement)},
             {"function", model.function_name(model.function_of_statement(each.statement))},
             {"statement", each.statement},
             {"good", each.execution[kLeft].has_value()},
             {"bad", each.execution[kRight].has_value()}};
    if (each.value[kLeft]) one["good_value"] = static_cast<int64_t>(*each.value[kLeft]);
    if (each.value[kRight]) one["bad_value"] = static_cast<int64_t>(*each.value[kRight]);
    instances.push_back(std::move(one));
  }
  return {{"instances", std::move(instances)},
          {"good_slice", slice.ordinary[kLeft]},
          {"bad_slice", slice.ordinary[kRight]}};
}

}  // namespace culprit::cli
