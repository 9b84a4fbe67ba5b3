#include "program/source_position.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_set>

#include "base/error.h"

namespace culprit::program {
namespace {

constexpr size_t kMostCandidates = 8;

/// Cuts `sign` and a number off the end of `text`.
template <typename Number>
std::optional<Number> cut_number(std::string_view& text, char sign) {
  const size_t at = text.rfind(sign);
  if (at == std::string_view::npos || at + 1 == text.size()) return std::nullopt;
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  text.remove_suffix(text.size() - at);
  return number;
}

bool is_tail_of(std::string_view path, std::string_view tail) {
  if (!path.ends_with(tail)) return false;
  return path.size() == tail.size() || tail.starts_with('/') || path[path.size() - tail.size() - 1] == '/';
}

template <typename Range>
std::string listed(const Range& candidates) {
  std::string text;
  size_t count = 0;
  for (const std::string& candidate : candidates) {
    if (count++ == kMostCandidates) return text + ", …";
    text += (text.empty() ? "" : ", ") + candidate;
  }
  return text;
}

size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<size_t> row(other.size() + 1);
  for (size_t at = 0; at <= other.size(); ++at) row[at] = at;
  for (size_t i = 0; i < one.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < other.size(); ++j) {
      const size_t replaced = diagonal + (one[i] != other[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

/// The names nearest to `wanted`: those that hold it, then those within a few typing errors.
std::vector<std::string> similar(const std::set<std::string>& names, const std::string& wanted) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& name : names) {
    const bool holds = !wanted.empty() && name.find(wanted) != std::string::npos;
    const size_t distance = holds ? 0 : edit_distance(name, wanted);
    if (distance <= 1 + wanted.size() / 3) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> result;
  for (auto& [distance, name] : ranked) result.push_back(std::move(name));
  return result;
}

std::string demangled(std::string_view symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status);
  if (!text) return {};
  std::string result(text);
  std::free(text);
  return result;
}

std::string remedy_for(const std::vector<std::string>& candidates, const char* otherwise) {
  return candidates.empty() ? otherwise : fmt::format("did you mean {}?", listed(candidates));
}

[[noreturn]] void fail_on_line(const SourcePosition& wanted, const std::map<uint32_t, std::string>& lines) {
  std::vector<std::string> near;
  const auto after = lines.lower_bound(wanted.line);
  auto at = after;
  for (int each = 0; each < 2 && at != lines.begin(); ++each) near.push_back((--at)->second);
  std::reverse(near.begin(), near.end());
  at = after;
  for (int each = 0; each < 2 && at != lines.end(); ++each) near.push_back((at++)->second);
  throw UserError(fmt::format("no statement starts at {}:{}", wanted.file, wanted.line),
                  near.empty() ? "the file has no statements; name another"
                               : fmt::format("the nearest lines with statements are {}", listed(near)));
}

}  // namespace

SourcePosition parse_source_position(std::string_view text) {
  SourcePosition position;
  std::string_view rest = text;
  const auto fail = [&text]() {
    return UserError(fmt::format("\"{}\" is no source position", text),
                     "write FILE:LINE, FILE:LINE:COLUMN or FILE:LINE#INSTANCE, e.g. parse.c:88");
  };
  if (const auto instance = cut_number<uint64_t>(rest, '#')) position.instance = *instance;
  const auto last = cut_number<uint32_t>(rest, ':');
  if (!last) throw fail();
  if (const auto line = cut_number<uint32_t>(rest, ':')) {
    position.line = *line;
    position.column = *last;
  } else {
    position.line = *last;
  }
  position.file = rest;
  if (rest.empty() || position.line == 0) throw fail();
  return position;
}

std::vector<uint32_t> find_files(const ProgramModel& model, std::string_view name) {
  std::vector<uint32_t> found;
  const std::string wanted = std::filesystem::path(name).lexically_normal().string();
  for (uint32_t file = 0; file < model.sections().files.size(); ++file) {
    if (is_tail_of(model.file_path(file), wanted)) found.push_back(file);
  }
  return found;
}

std::vector<uint32_t> find_statements(const ProgramModel& model, const SourcePosition& position) {
  // 1. The file, which must be one.
  std::vector<bool> is_wanted(model.sections().files.size(), false);
  std::set<std::string> paths;
  for (const uint32_t file : find_files(model, position.file)) {
    is_wanted[file] = true;
    paths.insert(model.file_path(file));
  }
  if (paths.empty()) {
    std::set<std::string> names;
    for (uint32_t file = 0; file < model.sections().files.size(); ++file) {
      names.insert(std::filesystem::path(model.file_path(file)).filename().string());
    }
    throw UserError(fmt::format("no file of the program is called {}", position.file),
                    remedy_for(similar(names, std::filesystem::path(position.file).filename().string()),
                               "`culprit dump model` lists the program's functions with their files"));
  }
  if (paths.size() > 1) {
    throw UserError(fmt::format("{} files of the program are called {}", paths.size(), position.file),
                    fmt::format("write more of the path: {}", listed(paths)));
  }
  // 2. The statements of the line, and on the way the lines that have any.
  std::vector<uint32_t> found;
  std::map<uint32_t, std::string> lines;
  std::set<uint32_t> columns;
  for (const uint32_t index : model.statements()) {
    const auto& statement = model.statement(index);
    const uint32_t file = model.file_of_scope(statement.scope);
    if (statement.line == 0 || file == kNone || !is_wanted[file]) continue;
    lines.try_emplace(statement.line, fmt::format("{}", statement.line));
    if (statement.line != position.line) continue;
    columns.insert(statement.column);
    if (position.column == 0 || position.column == statement.column) found.push_back(index);
  }
  if (!found.empty()) return found;
  if (columns.empty()) fail_on_line(position, lines);
  std::vector<std::string> candidates;
  for (const uint32_t column : columns) candidates.push_back(fmt::format("{}", column));
  throw UserError(fmt::format("no statement starts at {}:{}:{}", position.file, position.line, position.column),
                  fmt::format("statements of that line start at column {}", listed(candidates)));
}

std::vector<uint32_t> find_functions(const ProgramModel& model, std::string_view name) {
  std::vector<uint32_t> found;
  std::set<std::string> names;
  for (const uint32_t index : model.functions()) {
    const auto& function = model.function(index);
    const std::string qualified = model.function_name(index);
    const std::string_view symbol = model.text(function.linkage_name);
    const bool matches = name == symbol || name == model.text(function.name) || qualified == name ||
                         qualified.ends_with(fmt::format("::{}", name)) ||
                         (name.find('(') != std::string_view::npos && demangled(symbol) == name);
    if (matches) found.push_back(index);
    names.insert(qualified);
  }
  const auto is_native = [&](uint32_t index) { return (model.function(index).flags & format::kFunctionNative) != 0; };
  if (!std::all_of(found.begin(), found.end(), is_native)) std::erase_if(found, is_native);
  if (!found.empty()) return found;
  const std::string plain(name.substr(0, name.find('(')));
  throw UserError(fmt::format("the program has no function {}", name),
                  remedy_for(similar(names, plain), "`culprit dump model PROG` lists the functions"));
}

std::vector<uint32_t> variables_in_reach(const ProgramModel& model, uint32_t statement) {
  std::vector<uint32_t> found;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](uint32_t index) {
    if (seen.insert(model.text(model.variable(index).name)).second) found.push_back(index);
  };
  const auto add_locals = [&](const format::StatementRecord& position) {
    const Indices locals = model.variables_of(model.function_of_statement(statement));
    for (uint32_t scope = position.scope; scope != kNone; scope = model.scope(scope).parent) {
      for (const uint32_t index : locals) {
        const auto& variable = model.variable(index);
        // Parameters are in reach of the whole function, others from their declaration on.
        const bool declared = variable.argument != 0 || variable.line <= position.line || position.line == 0 ||
                              variable.file != model.scope(position.scope).file;
        if (variable.scope == scope && declared) add(index);
      }
      for (const uint32_t index : model.globals()) {
        if (model.variable(index).scope == scope) add(index);
      }
      // What is around an inlined call is out of the callee's reach.
      if (model.scope(scope).kind == format::ScopeKind::kInlinedFunction) break;
    }
  };
  if (statement != kNone) add_locals(model.statement(statement));
  for (const uint32_t index : model.globals()) {
    if (model.variable(index).scope == kNone) add(index);
  }
  return found;
}

std::optional<uint32_t> find_variable(const ProgramModel& model, uint32_t statement, std::string_view name) {
  std::optional<uint32_t> by_tail;
  for (const uint32_t index : variables_in_reach(model, statement)) {
    const std::string_view candidate = model.text(model.variable(index).name);
    if (candidate == name) return index;
    if (!by_tail && candidate.ends_with(fmt::format("::{}", name))) by_tail = index;
  }
  return by_tail;
}

}  // namespace culprit::program
