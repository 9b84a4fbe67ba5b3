#include "locate/deciding_branch.h"

#include <algorithm>

#include "locate/own_statements.h"

namespace culprit {

std::optional<uint32_t> decided_in(const program::ProgramModel& model, const std::vector<Frame>& frames, size_t from) {
  for (size_t each = from; each < frames.size(); ++each) {
    const uint32_t statement = frames[each].statement;
    if (!is_own_statement(model, statement)) continue;
    if (!model.dependences_of(model.block_of_statement(statement)).empty()) return static_cast<uint32_t>(each);
  }
  return std::nullopt;
}

std::optional<uint32_t> latest_decision(const program::ProgramModel& model, const BranchLog& log,
                                        uint32_t block) {
  const auto dependences = model.dependences_of(block);
  const auto found = std::find_if(log.entries.rbegin(), log.entries.rend(), [&](const format::BranchEntry& entry) {
    const program::Indices edges = model.edges_of(entry.block);
    return entry.way < edges.size() && std::any_of(dependences.begin(), dependences.end(),
                                                   [&](const auto& each) { return each.edge == edges[entry.way]; });
  });
  return found == log.entries.rend() ? std::nullopt : std::optional(found->block);
}

}  // namespace culprit
