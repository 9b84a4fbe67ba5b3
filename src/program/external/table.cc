#include "program/external/table.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "program/external/line_parser.h"

namespace culprit::program::external {
namespace {

/// A line with those that continue it (they start with a space), without comments and with abbreviations written out.
struct LogicalLine {
  std::string text;
  uint32_t number = 0;
};

constexpr std::string_view kAbbreviation = "abbreviation ";

/// `abbreviation {NAME} TEXT` lets the lines after it say {NAME} for TEXT. They replace each other's in order.
void write_out_abbreviations(std::vector<LogicalLine>& lines) {
  std::vector<std::pair<std::string, std::string>> abbreviations;
  std::erase_if(lines, [&](LogicalLine& line) {
    if (line.text.starts_with(kAbbreviation)) {
      const size_t end = line.text.find("} ");
      if (end == std::string::npos) return false;  // the parser will complain
      abbreviations.emplace_back(line.text.substr(kAbbreviation.size(), end + 1 - kAbbreviation.size()),
                                 line.text.substr(end + 2));
      return true;
    }
    for (const auto& [name, text] : abbreviations) {
      for (size_t at = 0; (at = line.text.find(name, at)) != std::string::npos; at += text.size()) {
        line.text.replace(at, name.size(), text);
      }
    }
    return false;
  });
}

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> lines;
  uint32_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
    if (line.front() == ' ' && !lines.empty()) {
      lines.back().text += line;
    } else {
      lines.push_back({std::string(line), number});
    }
  }
  write_out_abbreviations(lines);
  return lines;
}

}  // namespace

Table::Table(std::span<const TableText> texts) {
  std::set<std::string, std::less<>> states;
  std::unordered_map<std::string, std::string> places;  // of names, for the complaint about a second one
  for (const bool declarations : {true, false}) {
    for (const TableText& text : texts) {
      for (const LogicalLine& line : logical_lines(text.text)) {
        const std::string place = fmt::format("{}:{}", text.file, line.number);
        try {
          if (line.text.starts_with("state ") != declarations) continue;
          if (declarations) {
            if (!states.insert(declared_state(line.text)).second) throw LineError("the state is declared twice");
            continue;
          }
          for (Description& description : parse_line(line.text, states)) {
            const auto [known, fresh] = places.emplace(description.name, place);
            if (!fresh) throw LineError(fmt::format("{} is described in {} already", description.name, known->second));
            description.file = text.file;
            description.line = line.number;
            descriptions_.push_back(std::move(description));
          }
        } catch (const LineError& error) {
          throw UserError(fmt::format("{}: {}", place, error.what()),
                          "docs/formats.md describes the table of external functions");
        }
      }
    }
  }
  for (size_t index = 0; index < descriptions_.size(); ++index) by_name_.emplace(descriptions_[index].name, index);
}

const Description* Table::find(std::string_view function) const {
  const auto found = by_name_.find(function);
  return found == by_name_.end() ? nullptr : &descriptions_[found->second];
}

const Table& built_in_table() {
  static const Table table(built_in_texts());
  return table;
}

}  // namespace culprit::program::external
