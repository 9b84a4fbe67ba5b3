#include "report/json.h"

#include <nlohmann/json.hpp>

namespace culprit::report {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const SourcePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}, {"function", place.function}};
}

Json step_json(const ValueStep& step) {
  Json json = place_json(step.place);
  json["how"] = step.how;
  return json;
}

Json route_json(const Finding& finding) {
  if (!finding.route) return nullptr;
  Json route = Json::array();
  for (const RouteStep& step : *finding.route) {
    Json json = place_json(step.place);
    json["how"] = step.how;
    json["instance"] = step.instance;
    json["value"] = step.value;
    route.push_back(std::move(json));
  }
  return route;
}

}  // namespace

std::string to_json(const Explanation& explanation) {
  Json result{{"version", 5}, {"command", explanation.command}, {"runs", explanation.runs}, {"failure", nullptr}};
  if (const auto& failure = explanation.failure) {
    Json& json = result["failure"] = {{"kind", failure->kind}};
    json.update(place_json(failure->place));
    json["message"] = failure->message;
    json["only_own_program"] = failure->only_own_program;
    json["origin"] = failure->origin ? step_json(*failure->origin) : Json();
    Json& path = json["path"] = Json::array();
    for (const ValueStep& step : failure->path) path.push_back(step_json(step));
  }
  Json& activations = result["activations"] = Json::array();
  for (const Activation& activation : explanation.activations) {
    Json json = place_json(activation.place);
    Json& variables = json["variables"] = Json::array();
    for (const NamedValue& variable : activation.variables) {
      variables.push_back({{"name", variable.name}, {"value", variable.value}});
    }
    activations.push_back(std::move(json));
  }
  Json& findings = result["findings"] = Json::array();
  for (const Finding& finding : explanation.findings) {
    Json json{{"kind", finding.kind}};
    json.update(place_json(finding.place));
    json["instance"] = finding.instance;
    json["evidence"] = finding.evidence;
    json["proved"] = finding.proved;
    json["instead"] = finding.instead ? Json(*finding.instead) : Json(nullptr);
    json["executions"] = finding.executions;
    json["route"] = route_json(finding);
    findings.push_back(std::move(json));
  }
  Json& suspects = result["suspects"] = Json::array();
  for (const Suspect& suspect : explanation.suspects) {
    Json json{{"rank", suspect.rank}};
    json.update(place_json(suspect.place));
    json["why"] = suspect.why;
    suspects.push_back(std::move(json));
  }
  result["experiments"] = explanation.effort.experiments;
  result["seconds"] = explanation.effort.seconds;
  result["complete"] = explanation.effort.complete;
  result["limits"] = explanation.limits;
  result["next_steps"] = explanation.next_steps;
  return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace culprit::report
