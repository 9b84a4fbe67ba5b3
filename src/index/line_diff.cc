// Lines of equal text are paired by the longest common subsequence. Of what stands between such lines, lines that are
// alike are paired as changed ones; then what is left between those, where it is as many lines of both versions.
#include "index/line_diff.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "index/common_subsequence.h"

namespace culprit {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

/// How many characters two lines share at their beginnings and, apart from that, at their ends.
struct Shared {
  size_t before;
  size_t behind;
};
Shared shared(std::string_view left, std::string_view right) {
  const size_t shorter = std::min(left.size(), right.size());
  Shared both{0, 0};
  while (both.before < shorter && left[both.before] == right[both.before]) ++both.before;
  while (both.behind < shorter - both.before &&
         left[left.size() - 1 - both.behind] == right[right.size() - 1 - both.behind]) {
    ++both.behind;
  }
  return both;
}

std::string_view without_indentation(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// Whether one line seems to be another version of the other: they share at least half of the longer one.
bool are_alike(std::string_view left, std::string_view right) {
  left = without_indentation(left);
  right = without_indentation(right);
  const Shared both = shared(left, right);
  return 2 * (both.before + both.behind) >= std::max(left.size(), right.size());
}

}  // namespace

LineDiff::LineDiff(std::string left, std::string right)
    : left_text_(std::move(left)),
      right_text_(std::move(right)),
      left_texts_(lines_of(left_text_)),
      right_texts_(lines_of(right_text_)),
      left_lines_(left_texts_.size()),
      right_lines_(right_texts_.size()) {
  // Numbers are faster to compare than lines.
  std::unordered_map<std::string_view, uint32_t> numbers;
  const auto numbered = [&](const std::vector<std::string_view>& texts) {
    std::vector<uint32_t> result;
    for (const std::string_view text : texts) {
      result.push_back(numbers.emplace(text, static_cast<uint32_t>(numbers.size())).first->second);
    }
    return result;
  };
  const std::vector<uint32_t> lefts = numbered(left_texts_), rights = numbered(right_texts_);
  const auto left_size = static_cast<uint32_t>(lefts.size()), right_size = static_cast<uint32_t>(rights.size());
  auto same = longest_common_subsequence(left_size, right_size,
                                         [&](uint32_t one, uint32_t other) { return lefts[one] == rights[other]; });
  same.emplace_back(left_size, right_size);
  uint32_t left_at = 0, right_at = 0;
  for (const auto& [one, other] : same) {
    pair_changed(left_at, one, right_at, other);
    if (one < left_size) pair(one, other, true);
    left_at = one + 1;
    right_at = other + 1;
  }
}

void LineDiff::pair(uint32_t left, uint32_t right, bool same) {
  left_lines_[left] = {.other = right + 1, .same = same};
  right_lines_[right] = {.other = left + 1, .same = same};
}

void LineDiff::pair_changed(uint32_t left_begin, uint32_t left_end, uint32_t right_begin, uint32_t right_end) {
  if (left_begin == left_end || right_begin == right_end) return;
  auto alike =
      longest_common_subsequence(left_end - left_begin, right_end - right_begin, [&](uint32_t one, uint32_t other) {
        return are_alike(left_texts_[left_begin + one], right_texts_[right_begin + other]);
      });
  alike.emplace_back(left_end - left_begin, right_end - right_begin);
  uint32_t left_at = left_begin, right_at = right_begin;
  for (const auto& [one, other] : alike) {
    pair_in_order(left_at, left_begin + one, right_at, right_begin + other);
    if (left_begin + one < left_end) pair(left_begin + one, right_begin + other, false);
    left_at = left_begin + one + 1;
    right_at = right_begin + other + 1;
  }
}

void LineDiff::pair_in_order(uint32_t left_begin, uint32_t left_end, uint32_t right_begin, uint32_t right_end) {
  if (left_end - left_begin != right_end - right_begin) return;
  for (uint32_t each = 0; each < left_end - left_begin; ++each) pair(left_begin + each, right_begin + each, false);
}

bool LineDiff::columns_correspond(uint32_t left_line, uint32_t left_column, uint32_t right_column) const {
  const Line line = of_left(left_line);
  if (line.same || left_column == 0 || right_column == 0) return left_column == right_column;
  if (line.other == 0) return false;
  const std::string_view left = left_texts_[left_line - 1], right = right_texts_[line.other - 1];
  const Shared both = shared(left, right);
  if (left_column <= both.before) return left_column == right_column;
  if (left_column + both.behind > left.size()) return left_column + right.size() == right_column + left.size();
  return right_column > both.before && right_column + both.behind <= right.size();
}

}  // namespace culprit
