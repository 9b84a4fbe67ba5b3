// Data races that a failure may have come by: of those that a run's dependences have (depend/races.h), with what a
// reader wants to know of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "program/program_model.h"
#include "report/explanation.h"

namespace culprit {

struct DependentStatement;

struct RacingAccess {
  uint32_t statement = 0;
  uint32_t thread = 0;    ///< from 0, in the order of their beginnings
  uint64_t instance = 0;  ///< which execution of the statement that is, from 1
  bool writes = false;
};

struct RacingAccesses {
  RacingAccess first, second;          ///< in the order of the run, the last time
  std::optional<uint32_t> variable{};  ///< when one of them names it
  uint64_t count = 0;
  uint32_t distance = 0;  ///< of the nearer statement from the failure, by what it depended on
};

/// Those of which a statement is among `slice`, a failure's (of a run of the same program, perhaps another one),
/// nearest first; all when that is empty.
std::vector<RacingAccesses> racing_accesses(const depend::DependenceGraph& graph,
                                            const std::vector<DependentStatement>& slice);

/// The variable's, in quotes, or other words for it.
std::string name_of_raced(const program::ProgramModel& model, const RacingAccesses& race);

report::Finding finding_of(const program::ProgramModel& model, const RacingAccesses& race);

}  // namespace culprit
