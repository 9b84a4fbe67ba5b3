#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace culprit::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kHighestRank = 100;
constexpr size_t kMostOfPath = 12;

bool is_unreserved(unsigned char c) {
  return std::isalnum(c) != 0 || std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
}

/// RFC 3986: a relative path stays relative, an absolute one gets the scheme.
std::string uri_of(const std::string& path) {
  static constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char each : path) {
    const auto byte = static_cast<unsigned char>(each);
    if (is_unreserved(byte)) {
      uri += each;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

Json location_of(const SourcePlace& place) {
  Json location = Json::object();
  if (place.line != 0 && !place.file.empty()) {
    Json region{{"startLine", place.line}};
    if (place.column != 0) region["startColumn"] = place.column;
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(place.file)}}}, {"region", region}};
  }
  if (!place.function.empty()) {
    location["logicalLocations"] = Json::array({{{"name", place.function}, {"kind", "function"}}});
  }
  return location;
}

/// How findings travelled to the failure, one flow each.
Json code_flows(const Explanation& explanation) {
  Json flows = Json::array();
  for (const Finding& finding : explanation.findings) {
    if (!finding.route || finding.route->empty()) continue;
    Json locations = Json::array();
    for (const RouteStep& step : *finding.route) {
      Json location = location_of(step.place);
      location["message"] = {{"text", step.how == "start" ? finding.evidence : route_text(step)}};
      locations.push_back({{"location", std::move(location)}});
    }
    Json flow{{"threadFlows", Json::array({{{"locations", std::move(locations)}}})}};
    flow["message"] = {{"text", "How it went on from what was found to the failure"}};
    flows.push_back(std::move(flow));
  }
  return flows;
}

Json failure_result(const Explanation& explanation) {
  const Failure& failure = *explanation.failure;
  Json result{{"ruleId", failure.kind}, {"level", "error"}, {"message", {{"text", failure.message}}}};
  if (failure.place.line != 0) result["locations"] = Json::array({location_of(failure.place)});
  Json related = Json::array();
  const auto relate = [&related](const SourcePlace& place, const std::string& text) {
    Json location{{"id", related.size()}};
    location.update(location_of(place));
    location["message"] = {{"text", text}};
    related.push_back(std::move(location));
  };
  if (failure.origin)
    relate(failure.origin->place,
           fmt::format("{} was {} here.", value_in_words(failure), made_in_words(failure.origin->how)));
  for (const ValueStep& step : failure.path) {
    if (related.size() > kMostOfPath) break;
    relate(step.place, step.how == "formatted" ? "Here the value became text."
                       : step.how == "decided" ? "Here it was decided that the value was made."
                       : step.how == "tested"  ? "Here a value was made that decided."
                                               : "The value came by here.");
  }
  for (const Finding& finding : explanation.findings) {
    relate(finding.place, finding.evidence + (finding.proved ? " (proved by a re-run)" : ""));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (Json flows = code_flows(explanation); !flows.empty()) result["codeFlows"] = std::move(flows);
  Json frames = Json::array();
  for (const Activation& activation : explanation.activations) {
    Json location = location_of(activation.place);
    std::string variables;
    for (const NamedValue& each : activation.variables) {
      variables += (variables.empty() ? "" : ", ") + each.name + " = " + each.value;
    }
    if (!variables.empty()) location["message"] = {{"text", variables}};
    frames.push_back({{"location", std::move(location)}});
  }
  if (!frames.empty()) {
    result["stacks"] = Json::array({{{"message", {{"text", "The active calls at the failure"}}}, {"frames", frames}}});
  }
  return result;
}

/// Of a run that did not fail: what it does all the same.
void add_findings(const Explanation& explanation, Json& rules, Json& results) {
  std::set<std::string> kinds;
  for (const Finding& finding : explanation.findings) {
    if (kinds.insert(finding.kind).second) {
      rules.push_back({{"id", finding.kind}, {"shortDescription", {{"text", "What no program may do"}}}});
    }
    Json result{{"ruleId", finding.kind}, {"level", "warning"}, {"message", {{"text", finding.evidence}}}};
    if (finding.place.line != 0) result["locations"] = Json::array({location_of(finding.place)});
    results.push_back(std::move(result));
  }
}

}  // namespace

std::string to_sarif(const Explanation& explanation, const std::string& tool_version) {
  Json rules = Json::array();
  Json results = Json::array();
  if (explanation.failure) {
    rules.push_back({{"id", explanation.failure->kind}, {"shortDescription", {{"text", "How the run failed"}}}});
    rules.push_back({{"id", "suspect"}, {"shortDescription", {{"text", "A statement that may have caused it"}}}});
    results.push_back(failure_result(explanation));
    for (const Suspect& suspect : first_suspects(explanation)) {
      const double step = kHighestRank / static_cast<double>(first_suspects(explanation).size());
      Json result{{"ruleId", "suspect"}, {"level", "warning"}, {"message", {{"text", suspect.why}}}};
      if (suspect.place.line != 0) result["locations"] = Json::array({location_of(suspect.place)});
      result["rank"] = kHighestRank - step * (suspect.rank - 1);
      results.push_back(std::move(result));
    }
  } else {
    add_findings(explanation, rules, results);
  }
  const Json tool{{"driver", {{"name", "Culprit"}, {"version", tool_version}, {"rules", std::move(rules)}}}};
  const Json invocation{{"commandLine", explanation.command}, {"executionSuccessful", true}};
  const Json run{{"tool", tool}, {"invocations", Json::array({invocation})}, {"results", std::move(results)}};
  const Json log{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace culprit::report
