#include "build/point_options.h"

#include <fmt/format.h>

#include <array>

namespace culprit {
namespace {

using format::PointKind;

constexpr std::array<std::string_view, format::kPointKinds> kKindNames = {"none", "pcce", "sic", "sei", "lei", "pepid"};
constexpr std::array<std::string_view, 5> kPlaceNames = {"calls", "allocations", "events", "statements", "listed"};
constexpr std::string_view kPlanPrefix = "index-";
constexpr std::string_view kAllocationSuffix = "-alloc", kEventSuffix = "-events";

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// The enumerator that `text` names.
template <typename Enumeration, size_t size>
bool take_name(const std::array<std::string_view, size>& names, std::string_view text, Enumeration& value) {
  for (size_t each = 0; each < size; ++each) {
    if (names[each] != text) continue;
    value = static_cast<Enumeration>(each);
    return true;
  }
  return false;
}

}  // namespace

std::string_view point_kind_name(PointKind kind) {
  return kKindNames.at(static_cast<size_t>(kind));
}

bool set_point_option(PointOptions& options, std::string_view name, std::string_view text) {
  if (name == "index") return take_name(kKindNames, text, options.kind);
  if (name == "points") return take_name(kPlaceNames, text, options.places);
  if (name == "points_at") {
    options.listed = split_list(text);
    options.places = PointPlaces::kListed;
    return true;
  }
  if (name == "report_points" && (text == "yes" || text == "no")) {
    options.report = text == "yes";
    return true;
  }
  if (name == "report_values" && (text == "yes" || text == "no")) {
    options.values = text == "yes";
    return true;
  }
  if (name == "irreducible_loops" && (text == "headers" || text == "paths")) {
    options.paths_in_irreducible_loops = text == "paths";
    return true;
  }
  return false;
}

std::string toml_text(const PointOptions& options) {
  if (options.kind == PointKind::kNone) return {};
  std::string text = fmt::format("index = \"{}\"\npoints = \"{}\"\n", point_kind_name(options.kind),
                                 kPlaceNames.at(static_cast<size_t>(options.places)));
  if (!options.listed.empty()) text += fmt::format("points_at = \"{}\"\n", fmt::join(options.listed, ","));
  if (options.report) text += "report_points = \"yes\"\n";
  if (options.values) text += "report_values = \"yes\"\n";
  if (options.paths_in_irreducible_loops) text += "irreducible_loops = \"paths\"\n";
  return text;
}

PointOptions named_point_options(std::string_view plan) {
  PointOptions options;
  if (!plan.starts_with(kPlanPrefix)) return options;
  plan.remove_prefix(kPlanPrefix.size());
  if (plan.ends_with(kAllocationSuffix)) {
    options.places = PointPlaces::kAllocations;
    plan.remove_suffix(kAllocationSuffix.size());
  } else if (plan.ends_with(kEventSuffix)) {
    options.places = PointPlaces::kEvents;
    plan.remove_suffix(kEventSuffix.size());
  }
  if (!take_name(kKindNames, plan, options.kind)) options.kind = PointKind::kNone;
  return options;
}

}  // namespace culprit
