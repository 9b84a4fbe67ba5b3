// From what a user types (`parse.c:88`, a function's or a variable's name) to the model's indices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program_model.h"

namespace culprit::program {

/// `file:line[:column][#instance]`.
struct SourcePosition {
  std::string file;       ///< any tail of the path that is unique among the program's files
  uint32_t line = 0;      ///< from 1
  uint32_t column = 0;    ///< from 1; 0: any
  uint64_t instance = 0;  ///< which execution of it, from 1; 0: not said

  bool operator==(const SourcePosition&) const = default;
};

/// Throws UserError that shows the form.
SourcePosition parse_source_position(std::string_view text);

/// The files whose path is `name` or ends in it, by full path; one path may have several indices.
std::vector<uint32_t> find_files(const ProgramModel& model, std::string_view name);

/// The statements at a position, ascending. Without a column, all of the line. Throws UserError that lists the
/// candidates when the file is unknown or not unique, or nothing starts there.
std::vector<uint32_t> find_statements(const ProgramModel& model, const SourcePosition& position);

/// Functions by symbol, by name with or without its qualification, or as a demangled declaration; ascending; those with
/// a body if there are any. Throws UserError that lists similar names when there is none.
std::vector<uint32_t> find_functions(const ProgramModel& model, std::string_view name);

/// The variable that `name` means at a statement: the innermost scope's, then the globals. A global may be qualified.
std::optional<uint32_t> find_variable(const ProgramModel& model, uint32_t statement, std::string_view name);

/// All variables in reach at a statement, innermost scope first; those that an inner one hides are left out. At kNone
/// only globals.
std::vector<uint32_t> variables_in_reach(const ProgramModel& model, uint32_t statement);

}  // namespace culprit::program
