// Which lines of two versions of a text correspond.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

/// Lines are numbered from 1, columns from 1 in bytes; column 0: unknown, as in debug information.
class LineDiff {
 public:
  LineDiff(std::string left, std::string right);

  struct Line {
    uint32_t other = 0;  ///< of the other version; 0: only this one has it
    bool same = false;   ///< both have the same text
  };
  /// Of lines behind the end, {}.
  Line of_left(uint32_t line) const { return at(left_lines_, line); }
  Line of_right(uint32_t line) const { return at(right_lines_, line); }

  /// Whether columns of two lines that correspond mean the same place: the same character before or behind what was
  /// changed, or both in what was.
  bool columns_correspond(uint32_t left_line, uint32_t left_column, uint32_t right_column) const;

 private:
  static Line at(const std::vector<Line>& lines, uint32_t line) {
    return line == 0 || line > lines.size() ? Line{} : lines[line - 1];
  }
  void pair_changed(uint32_t left_begin, uint32_t left_end, uint32_t right_begin, uint32_t right_end);
  void pair_in_order(uint32_t left_begin, uint32_t left_end, uint32_t right_begin, uint32_t right_end);
  void pair(uint32_t left, uint32_t right, bool same);

  std::string left_text_, right_text_;
  std::vector<std::string_view> left_texts_, right_texts_;
  std::vector<Line> left_lines_, right_lines_;
};

}  // namespace culprit
