// JSON files of Culprit's own, whose numbers are whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace culprit {

/// Throws nlohmann::json::exception, also for a number with a fraction or an exponent: converting a huge one to an
/// integer is undefined.
inline nlohmann::json parse_whole_json(const std::string& text) {
  return nlohmann::json::parse(text, [](int, nlohmann::json::parse_event_t, nlohmann::json& parsed) {
    if (parsed.is_number_float()) {
      throw nlohmann::json::type_error::create(302, "a number is not whole", &parsed);
    }
    return true;
  });
}

}  // namespace culprit
