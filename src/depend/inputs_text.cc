#include "depend/inputs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>

#include "program/print_value.h"

namespace culprit::depend {
namespace {

using namespace format;
using nlohmann::json;

constexpr std::array<const char*, kInputRoles> kRoleTexts = {
    "derived from", "influenced, by what decided that it ran, by", "influenced, by what chose the memory, by"};
constexpr std::array<const char*, kInputRoles> kRoleNames = {"derived", "control", "address"};

std::string printable(const std::string& bytes, size_t most) {
  std::string text;
  for (const char c : bytes.substr(0, most)) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\0') {
      text += "\\0";
    } else if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (std::isprint(static_cast<unsigned char>(c)) != 0) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return bytes.size() > most ? text + "…" : text;
}

/// JSON is UTF-8: bytes from 128 on become the characters of these numbers.
std::string as_latin(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

struct LinkText {
  std::string value;
  std::string variable;
  uint32_t statement;
};

LinkText link_text(const program::ProgramModel& model, uint32_t operation) {
  const uint32_t statement = model.operation(operation).statement;
  const StatementRecord& record = model.statement(statement);
  const auto operands = model.operands_of(operation);
  LinkText text{"?", "", statement};
  const bool is_number = !operands.empty() && (operands.front().flags & kOperandIsNumber) != 0;
  const auto number = is_number ? static_cast<int64_t>(static_cast<int32_t>(operands.front().value)) : 0;
  if (is_number) text.value = std::to_string(number);
  if (record.kind != StatementKind::kAssignment || record.detail == kNone) return text;
  const VariableRecord& variable = model.variable(record.detail);
  text.variable = model.text(variable.name);
  if (is_number && variable.type != kNone) {
    std::array<std::byte, sizeof number> bytes;
    std::memcpy(bytes.data(), &number, sizeof number);
    text.value = program::print_value(model, variable.type, bytes);
  }
  return text;
}

/// From the byte on.
std::vector<uint32_t> operations_of(const InputValues& values, uint32_t chain) {
  std::vector<uint32_t> operations;
  for (; chain != kNoLink; chain = values.link(chain).before) operations.push_back(values.link(chain).operation);
  std::reverse(operations.begin(), operations.end());
  return operations;
}

std::string range_text(const InputPlaces& places, const InputRange& range, size_t most_characters) {
  const std::string where = range.bytes == 1 ? fmt::format("byte {}", range.first)
                                             : fmt::format("bytes {}-{}", range.first, range.first + range.bytes - 1);
  std::string line = fmt::format("{}, {}{}", places.sources()[range.source].name, where, range.precise ? " =" : "");
  if (const auto text = places.text_of(range)) line += fmt::format("  \"{}\"", printable(*text, most_characters));
  return line;
}

}  // namespace

std::string inputs_text(const DependenceGraph& graph, const InputPlaces& places, const InputValues& values,
                        InputValue value, const InputsStyle& style) {
  const InputValues::Sets& sets = values.sets(value);
  std::string text;
  for (size_t role = 0; role < kInputRoles; ++role) {
    const auto ranges = places.ranges(values.ordinals(), sets.all[role], sets.precise[role]);
    text += fmt::format("{}{}\n", kRoleTexts[role], ranges.empty() ? " no input" : "");
    const size_t shown = style.most_ranges == 0 ? ranges.size() : std::min(ranges.size(), style.most_ranges);
    for (size_t each = 0; each < shown; ++each) {
      text += fmt::format("  {}\n", range_text(places, ranges[each], style.most_characters));
    }
    if (shown == ranges.size()) continue;
    uint64_t bytes = 0;
    for (size_t each = shown; each < ranges.size(); ++each) bytes += ranges[each].bytes;
    text += fmt::format("  … and {} more places with {} bytes\n", ranges.size() - shown, bytes);
  }
  if (!values.chains(value).empty()) text += "by way of\n";
  for (const uint32_t chain : values.chains(value)) {
    const auto place = places.place_of(values.link(chain).ordinal);
    std::string line = place ? range_text(places, *place, style.most_characters) : "a byte of input";
    for (const uint32_t operation : operations_of(values, chain)) {
      const LinkText link = link_text(graph.model(), operation);
      line += fmt::format(" → {} ({}@{})", link.value, link.variable, graph.model().position_text(link.statement));
    }
    text += fmt::format("  {}\n", line);
  }
  return text;
}

std::string inputs_json(const DependenceGraph& graph, const InputPlaces& places, const InputValues& values,
                        InputValue value) {
  const InputValues::Sets& sets = values.sets(value);
  const auto range_json = [&](const InputRange& range) {
    json one{{"input", places.sources()[range.source].name},
             {"first", range.first},
             {"bytes", range.bytes},
             {"exact", range.precise}};
    if (const auto text = places.text_of(range)) one["text"] = as_latin(*text);
    return one;
  };
  json all;
  for (size_t role = 0; role < kInputRoles; ++role) {
    json& list = all[kRoleNames[role]] = json::array();
    for (const InputRange& range : places.ranges(values.ordinals(), sets.all[role], sets.precise[role])) {
      list.push_back(range_json(range));
    }
  }
  json& chains = all["chains"] = json::array();
  for (const uint32_t chain : values.chains(value)) {
    const auto place = places.place_of(values.link(chain).ordinal);
    json one = place ? range_json(*place) : json::object();
    one["exact"] = true;
    one["links"] = json::array();
    for (const uint32_t operation : operations_of(values, chain)) {
      const LinkText link = link_text(graph.model(), operation);
      one["links"].push_back({{"value", link.value},
                              {"variable", link.variable},
                              {"file", graph.model().path_of_statement(link.statement)},
                              {"line", graph.model().statement(link.statement).line}});
    }
    chains.push_back(std::move(one));
  }
  return all.dump(1) + "\n";
}

}  // namespace culprit::depend
