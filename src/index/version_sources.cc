#include "index/version_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/file.h"

namespace culprit {
namespace {

using format::kNone;

/// How many characters of their tails two paths share, in whole components.
size_t shared_tail(std::string_view left, std::string_view right) {
  const auto [one, other] = std::mismatch(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  if (one == left.rend() && other == right.rend()) return left.size() + 1;
  const std::string_view tail = left.substr(static_cast<size_t>(left.rend() - one));
  if ((one == left.rend() || *one == '/') && (other == right.rend() || *other == '/')) return tail.size();
  const size_t begin = tail.find('/');
  return begin == std::string_view::npos ? 0 : tail.size() - begin - 1;
}

/// Headers that a program's versions share.
bool is_of_the_system(std::string_view path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

}  // namespace

VersionSources::VersionSources(const program::ProgramModel& left, const program::ProgramModel& right)
    : left_(files_of(left)), right_(files_of(right)) {
  pair_files();
}

VersionSources::Version VersionSources::files_of(const program::ProgramModel& model) {
  Version version{.model = &model, .files = {}, .file_of = {}};
  std::map<std::string, uint32_t> known;
  for (uint32_t file = 0; file < model.sections().files.size(); ++file) {
    const std::string path = model.file_path(file);
    const auto [at, is_new] = known.emplace(path, static_cast<uint32_t>(version.files.size()));
    if (is_new) version.files.push_back({.path = path});
    version.file_of.push_back(at->second);
  }
  return version;
}

void VersionSources::pair_files() {
  struct Pair {
    size_t shared;
    uint32_t left, right;
  };
  std::vector<Pair> pairs;
  for (uint32_t left = 0; left < left_.files.size(); ++left) {
    for (uint32_t right = 0; right < right_.files.size(); ++right) {
      const size_t shared = shared_tail(left_.files[left].path, right_.files[right].path);
      if (shared > 0) pairs.push_back({shared, left, right});
    }
  }
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &Pair::shared);
  for (const Pair& each : pairs) {
    if (left_.files[each.left].other != kNone || right_.files[each.right].other != kNone) continue;
    left_.files[each.left].other = each.right;
    right_.files[each.right].other = each.left;
  }
}

bool VersionSources::files_correspond(uint32_t left_file, uint32_t right_file) const {
  if (left_file == kNone || right_file == kNone) return left_file == right_file;
  return left_.files[left_.file_of[left_file]].other == right_.file_of[right_file];
}

uint32_t VersionSources::file_of_statement(const Version& version, uint32_t statement) const {
  const uint32_t file = version.model->file_of_scope(version.model->statement(statement).scope);
  return file == kNone ? kNone : version.file_of[file];
}

const LineDiff* VersionSources::diff_of(uint32_t left_file) {
  const auto known = diffs_.find(left_file);
  if (known != diffs_.end()) return known->second.get();
  std::unique_ptr<LineDiff> diff;
  const File& left = left_.files[left_file];
  const std::string& right_path = right_.files[left.other].path;
  // One path has one text, whose version is not known.
  if (left.path == right_path) {
    if (!is_of_the_system(left.path))
      unknown_texts_.push_back(fmt::format("{}: both versions were compiled from this path", left.path));
  } else {
    try {
      std::string left_text = read_file(left.path);
      diff = std::make_unique<LineDiff>(std::move(left_text), read_file(right_path));
    } catch (const UserError& error) {
      unknown_texts_.emplace_back(error.what());
    }
  }
  return diffs_.emplace(left_file, std::move(diff)).first->second.get();
}

PlaceMatch VersionSources::match(uint32_t left_statement, uint32_t right_statement) {
  const auto& left = left_.model->statement(left_statement);
  const auto& right = right_.model->statement(right_statement);
  const uint32_t left_file = file_of_statement(left_, left_statement);
  const uint32_t right_file = file_of_statement(right_, right_statement);
  const bool paired = left_file != kNone && right_file != kNone && left_.files[left_file].other == right_file;
  const LineDiff* diff = paired ? diff_of(left_file) : nullptr;
  if (!diff || left.line == 0 || right.line == 0) {
    const bool alike = left.column == right.column && (left.line == 0) == (right.line == 0) &&
                       subject_of(*left_.model, left_statement) == subject_of(*right_.model, right_statement);
    return alike ? PlaceMatch::kUnknown : PlaceMatch::kNone;
  }
  const LineDiff::Line line = diff->of_left(left.line);
  if (line.other != right.line || !diff->columns_correspond(left.line, left.column, right.column)) {
    return PlaceMatch::kNone;
  }
  return line.same ? PlaceMatch::kSame : PlaceMatch::kChanged;
}

std::optional<bool> VersionSources::line_changed(bool in_left, uint32_t statement) {
  const Version& version = in_left ? left_ : right_;
  const uint32_t file = file_of_statement(version, statement), line = version.model->statement(statement).line;
  if (file == kNone || line == 0 || version.files[file].other == kNone) return std::nullopt;
  const LineDiff* diff = diff_of(in_left ? file : version.files[file].other);
  if (!diff) return std::nullopt;
  return !(in_left ? diff->of_left(line) : diff->of_right(line)).same;
}

std::vector<std::string> VersionSources::unknown_texts() const {
  std::vector<std::string> sorted = unknown_texts_;
  std::ranges::sort(sorted);
  return sorted;
}

std::string_view subject_of(const program::ProgramModel& model, uint32_t statement) {
  const auto& record = model.statement(statement);
  if (record.detail == kNone) return {};
  if (record.kind == format::StatementKind::kAssignment) return model.text(model.variable(record.detail).name);
  if (record.kind != format::StatementKind::kCall) return {};
  const uint32_t callee = model.call(record.detail).callee;
  return callee == kNone ? std::string_view() : model.text(model.function(callee).name);
}

}  // namespace culprit
