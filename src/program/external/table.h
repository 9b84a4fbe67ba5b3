// The table of external functions, parsed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/external/description.h"

namespace culprit::program::external {

/// One of the table's files.
struct TableText {
  std::string_view file;  ///< "string.txt"
  std::string_view text;
};

class Table {
 public:
  /// Throws UserError that names file and line of the first mistake.
  explicit Table(std::span<const TableText> texts);
  Table(const Table&) = delete;

  /// The function's line, or nullptr.
  const Description* find(std::string_view function) const;
  const std::vector<Description>& descriptions() const { return descriptions_; }

 private:
  std::vector<Description> descriptions_;
  std::unordered_map<std::string_view, size_t> by_name_;  ///< into descriptions_
};

/// The texts that are built into Culprit (functions/*.txt).
std::span<const TableText> built_in_texts();
/// Their table, parsed on first use.
const Table& built_in_table();

}  // namespace culprit::program::external
