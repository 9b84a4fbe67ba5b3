#include "build/plan.h"

#include <fmt/format.h>

#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"

namespace culprit {
namespace {

std::string observed_name(ObservedBodies observed) {
  switch (observed) {
    case ObservedBodies::kNone:
      return "none";
    case ObservedBodies::kRegisters:
      return "registers";
    case ObservedBodies::kHomes:
      return "homes";
  }
  CULPRIT_ASSERT(false, "observed bodies out of range");
}

std::string hooks_name(Hooks hooks) {
  switch (hooks) {
    case Hooks::kNone:
      return "none";
    case Hooks::kCounts:
      return "counts";
    case Hooks::kSession:
      return "session";
    case Hooks::kTrace:
      return "trace";
    case Hooks::kPath:
      return "path";
    case Hooks::kValues:
      return "values";
  }
  CULPRIT_ASSERT(false, "hooks out of range");
}

Plan observed_plan(const std::string& name, ObservedBodies observed, Hooks hooks) {
  return {.name = name,
          .ticks = true,
          .observed = observed,
          .hooks = hooks,
          .start_observed = true,
          .fast_bodies = false,
          // Built for one failing run, mostly: their build is what takes time.
          .quick_code = hooks == Hooks::kSession || hooks == Hooks::kValues};
}

}  // namespace

Plan plan_from_toml_text(const std::string& text_of_plan, const std::string& path) {
  toml::table table;
  try {
    table = toml::parse(text_of_plan, path);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}: line {}: {}", path, error.source().begin.line, error.description()),
                    "mend the plan, or use one of the named plans: fast, registers, homes, session, alterable, trace, "
                    "path, values");
  }
  Plan plan{.name = std::filesystem::path(path).stem().string()};
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    const std::string text = value.value_or(std::string());
    if (name == "ticks" && value.is_boolean()) {
      plan.ticks = value.value_or(true);
    } else if (name == "fine_ticks" && value.is_boolean()) {
      plan.fine_ticks = value.value_or(false);
    } else if (name == "start_observed" && value.is_boolean()) {
      plan.start_observed = value.value_or(false);
    } else if (name == "fast_bodies" && value.is_boolean()) {
      plan.fast_bodies = value.value_or(true);
    } else if (name == "alterable" && value.is_boolean()) {
      plan.alterable = value.value_or(false);
    } else if (name == "quick_code" && value.is_boolean()) {
      plan.quick_code = value.value_or(false);
    } else if (name == "observed" && text == "none") {
      plan.observed = ObservedBodies::kNone;
    } else if (name == "observed" && text == "registers") {
      plan.observed = ObservedBodies::kRegisters;
    } else if (name == "observed" && text == "homes") {
      plan.observed = ObservedBodies::kHomes;
    } else if (name == "hooks" && text == "none") {
      plan.hooks = Hooks::kNone;
    } else if (name == "hooks" && text == "counts") {
      plan.hooks = Hooks::kCounts;
    } else if (name == "hooks" && text == "session") {
      plan.hooks = Hooks::kSession;
    } else if (name == "hooks" && text == "trace") {
      plan.hooks = Hooks::kTrace;
    } else if (name == "hooks" && text == "path") {
      plan.hooks = Hooks::kPath;
    } else if (name == "hooks" && text == "values") {
      plan.hooks = Hooks::kValues;
    } else if (value.is_string() && set_point_option(plan.points, name, text)) {
      continue;
    } else {
      throw UserError(
          fmt::format("{}: line {}: no plan has `{}` with this value", path, key.source().begin.line, name),
          "known: ticks = true|false, fine_ticks = true|false, observed = \"none\"|\"registers\"|\"homes\", "
          "hooks = \"none\"|\"counts\"|\"session\"|\"trace\"|\"path\"|\"values\", start_observed = true|false, "
          "fast_bodies = "
          "true|false, "
          "alterable = true|false, quick_code = true|false, "
          "index = \"pcce\"|\"sic\"|\"sei\"|\"lei\"|\"pepid\", points = \"calls\"|\"allocations\"|\"statements\", "
          "points_at = \"FILE:LINE,…\", report_points = \"yes\"|\"no\", "
          "irreducible_loops = \"headers\"|\"paths\"");
    }
  }
  if (plan.start_observed && plan.observed == ObservedBodies::kNone) {
    throw UserError(fmt::format("{}: start_observed needs observed bodies", path),
                    "set observed = \"registers\" or \"homes\"");
  }
  if (!plan.fast_bodies && !plan.start_observed) {
    throw UserError(fmt::format("{}: without fast bodies threads must start observed", path),
                    "set start_observed = true");
  }
  if (plan.quick_code && plan.observed == ObservedBodies::kNone) {
    throw UserError(fmt::format("{}: quick_code is said of observed bodies", path),
                    "set observed = \"registers\" or \"homes\", or leave quick_code out");
  }
  if (plan.hooks == Hooks::kSession && plan.observed != ObservedBodies::kHomes) {
    throw UserError(fmt::format("{}: session hooks need bodies with homes", path), "set observed = \"homes\"");
  }
  if (plan.alterable && plan.hooks != Hooks::kSession && !traces(plan.hooks)) {
    throw UserError(fmt::format("{}: what is alterable needs hooks of a session or a trace", path),
                    "set hooks = \"session\", or \"trace\" to trace altered runs");
  }
  if (traces(plan.hooks) && plan.observed != ObservedBodies::kRegisters) {
    throw UserError(fmt::format("{}: trace hooks need bodies with registers", path), "set observed = \"registers\"");
  }
  if (plan.points.kind != format::PointKind::kNone && plan.observed != ObservedBodies::kNone) {
    throw UserError(fmt::format("{}: execution-point ids are kept by fast bodies", path),
                    "leave observed as it is by default");
  }
  return plan;
}

Plan load_plan(const std::string& name_or_path) {
  if (name_or_path == "fast") return {};
  if (name_or_path == "fine") return {.name = "fine", .fine_ticks = true};
  if (name_or_path == "registers") return observed_plan("registers", ObservedBodies::kRegisters, Hooks::kCounts);
  if (name_or_path == "homes") return observed_plan("homes", ObservedBodies::kHomes, Hooks::kCounts);
  if (name_or_path == "session") return observed_plan("session", ObservedBodies::kHomes, Hooks::kSession);
  if (name_or_path == "alterable") {
    Plan plan = observed_plan("alterable", ObservedBodies::kHomes, Hooks::kSession);
    plan.alterable = true;
    return plan;
  }
  if (name_or_path == "trace") return observed_plan("trace", ObservedBodies::kRegisters, Hooks::kTrace);
  if (name_or_path == "path") return observed_plan("path", ObservedBodies::kRegisters, Hooks::kPath);
  if (name_or_path == "values") return observed_plan("values", ObservedBodies::kRegisters, Hooks::kValues);
  if (const PointOptions points = named_point_options(name_or_path); points.kind != format::PointKind::kNone) {
    return points_plan(name_or_path, points);
  }
  if (std::filesystem::exists(name_or_path)) return plan_from_toml_text(read_file(name_or_path), name_or_path);
  throw UserError(
      fmt::format("there is no plan `{}`", name_or_path),
      "use fast, fine, registers, homes, session, alterable, trace, path, index-pcce, index-sic, index-sei, index-lei, "
      "index-pepid or a TOML file");
}

Plan points_plan(const std::string& name, PointOptions points) {
  return {.name = name, .ticks = false, .points = std::move(points)};
}

std::string canonical_text(const Plan& plan) {
  std::string points = toml_text(plan.points);
  std::replace(points.begin(), points.end(), '\n', ' ');
  return fmt::format("ticks={} fine_ticks={} observed={} hooks={} start_observed={} fast_bodies={} {}{}{}", plan.ticks,
                     plan.fine_ticks, observed_name(plan.observed), hooks_name(plan.hooks), plan.start_observed,
                     plan.fast_bodies, plan.alterable ? "alterable=true " : "",
                     plan.quick_code ? "quick_code=true " : "", points);
}

std::string toml_text(const Plan& plan) {
  return fmt::format(
      "ticks = {}\nfine_ticks = {}\nobserved = \"{}\"\nhooks = \"{}\"\nstart_observed = {}\nfast_bodies = {}\n"
      "alterable = {}\nquick_code = {}\n{}",
      plan.ticks, plan.fine_ticks, observed_name(plan.observed), hooks_name(plan.hooks), plan.start_observed,
      plan.fast_bodies, plan.alterable, plan.quick_code, toml_text(plan.points));
}

}  // namespace culprit
