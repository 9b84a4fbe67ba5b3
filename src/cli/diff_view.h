// The difference of two runs as the HTML page takes it, and what all its forms say of a statement.
#pragma once

#include <string>

#include "index/execution_difference.h"
#include "index/union_program.h"
#include "report/difference_page.h"

namespace culprit::cli {

/// "file.c:12:3 function"
std::string statement_text(const program::ProgramModel& model, uint32_t statement);

/// What a statement writes: its variable, or what kind of statement it is.
std::string written_name(const program::ProgramModel& model, uint32_t statement);

/// What the two runs are runs of.
struct DiffedPrograms {
  const program::ProgramModel& good;
  const program::ProgramModel& bad;
  const UnionProgram* versions = nullptr;  ///< null: both are one program

  const program::ProgramModel& of(bool in_good) const { return in_good ? good : bad; }
  /// Whether the other version has this statement not, or otherwise.
  bool is_changed(bool in_good, uint32_t statement) const {
    return versions && versions->version(in_good).changed[statement];
  }
  /// As statement_text; "file.c:12:3 function (changed)".
  std::string text(bool in_good, uint32_t statement) const;
  /// "file.c:12:3", likewise.
  std::string position(bool in_good, uint32_t statement) const;
};

/// Where the versions differ, a line a function: "parse.c next_token: line 12 of the good version,
/// lines 12 and 15 of the bad version".
std::vector<std::string> version_facts(const DiffedPrograms& programs);

/// Regions of one run between the same statements.
struct RepeatedRegion {
  const LoneRegion* first;
  uint64_t points;  ///< of all
  uint64_t times;
};

/// In order of the first ones.
std::vector<RepeatedRegion> repeated_regions(const std::vector<LoneRegion>& regions);
/// Of two versions, the same: a statement that one has in a loop may make millions. Of one, each by itself.
std::vector<RepeatedRegion> regions_of(const ExecutionDifference& difference, const DiffedPrograms& programs);

/// The first region that begins with code of both versions, so that one of them decided otherwise: what only one
/// version has parts the runs, too, and says less. Null where there is none, and of one program.
const LoneRegion* first_other_decision(const ExecutionDifference& difference, const DiffedPrograms& programs);

/// Commands and ends are left to the caller.
report::DifferenceView difference_view(const ExecutionDifference& difference, const DiffedPrograms& programs);

}  // namespace culprit::cli
