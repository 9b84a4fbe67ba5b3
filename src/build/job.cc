#include "build/job.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace culprit {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileUnit, name, file, offset, bytes, component)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Component, name, exports, symbolic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SymbolDefinition, symbol, target)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NativeUnit, name, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionApart, name, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepTime, step, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLoop, function, variable, file, first_line, last_line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileReport, units, native_units, native_functions, single_body_functions, steps,
                                   objects, model, code_bytes, loops)

// The plan travels in its own notation, which load_plan's users write too.
void to_json(nlohmann::json& json, const Plan& plan) {
  json = {{"name", plan.name}, {"toml", toml_text(plan)}};
}
void from_json(const nlohmann::json& json, Plan& plan) {
  plan = plan_from_toml_text(json.at("toml").get<std::string>(), json.at("name").get<std::string>());
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileJob, plan, output_directory, components, units, wraps, definitions,
                                   allow_multiple_definitions, position_independent, only_observed, only_loops)

namespace {

template <typename T>
std::string text_of(const T& value) {
  return nlohmann::json(value).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

template <typename T>
T value_of(const std::string& path, const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<T>();
  } catch (const nlohmann::json::parse_error& error) {
    throw CorruptData(path, error.byte, error.what());
  } catch (const nlohmann::json::exception& error) {
    throw CorruptData(path, 0, error.what());
  }
}

}  // namespace

std::string to_json(const CompileJob& job) {
  return text_of(job);
}
CompileJob job_from_json(const std::string& path, const std::string& text) {
  return value_of<CompileJob>(path, text);
}
std::string to_json(const CompileReport& report) {
  return text_of(report);
}
CompileReport report_from_json(const std::string& path, const std::string& text) {
  return value_of<CompileReport>(path, text);
}

}  // namespace culprit
