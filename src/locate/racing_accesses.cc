#include "locate/racing_accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "locate/accessed_variable.h"
#include "locate/failure.h"
#include "locate/graph_nodes.h"
#include "locate/measured_slice.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;

constexpr size_t kMostRaces = 8;

RacingAccess access_of(const DependenceGraph& graph, uint64_t number, bool writes) {
  if (number >= graph.file().numbers()) graph.file().fail_at(0, "a race of a node that does not exist");
  const Node node = graph.node_of({number});
  const uint32_t own = own_statement(graph.model(), active_statements(graph, node));
  return {.statement = own == program::kNone ? graph.model().operation(node.operation()).statement : own,
          .thread = graph.frame(graph.execution(node.execution()).frame).thread,
          .instance = instance_of(graph, node),
          .writes = writes};
}

std::string access_text(const program::ProgramModel& model, const RacingAccess& access, const std::string& what) {
  const report::SourcePlace place = place_of_statement(model, access.statement);
  return fmt::format("thread {} {} {} at {}", access.thread, access.writes ? "writes" : "reads", what,
                     file_and_line(place));
}

}  // namespace

std::vector<RacingAccesses> racing_accesses(const DependenceGraph& graph,
                                            const std::vector<DependentStatement>& slice) {
  const program::ProgramModel& model = graph.model();
  std::unordered_map<uint32_t, uint32_t> distance;
  for (const DependentStatement& each : slice) distance.emplace(each.statement, each.distance);
  std::vector<RacingAccesses> races;
  for (const format::GraphRace& each : graph.file().races()) {
    RacingAccesses race{.first = access_of(graph, each.first, (each.flags & format::kGraphRaceFirstWrites) != 0),
                        .second = access_of(graph, each.second, (each.flags & format::kGraphRaceSecondWrites) != 0),
                        .count = each.count};
    race.distance = slice.empty() ? 0 : ~uint32_t{0};
    for (const uint64_t number : {each.first, each.second}) {
      const uint32_t operation = graph.node_of({number}).operation();
      const auto its = distance.find(model.operation(operation).statement);
      if (its != distance.end()) race.distance = std::min(race.distance, its->second);
      if (!race.variable) race.variable = accessed_variable(model, operation);
    }
    if (race.distance != ~uint32_t{0}) races.push_back(race);
  }
  std::stable_sort(races.begin(), races.end(),
                   [](const auto& one, const auto& other) { return one.distance < other.distance; });
  if (races.size() > kMostRaces) races.resize(kMostRaces);
  return races;
}

std::string name_of_raced(const program::ProgramModel& model, const RacingAccesses& race) {
  return race.variable ? fmt::format("`{}`", model.text(model.variable(*race.variable).name)) : "the same memory";
}

report::Finding finding_of(const program::ProgramModel& model, const RacingAccesses& race) {
  const std::string what = name_of_raced(model, race);
  const RacingAccess& write = race.first.writes ? race.first : race.second;
  return {.kind = "data-race",
          .place = place_of_statement(model, write.statement),
          .instance = write.instance,
          .evidence =
              fmt::format("Nothing orders what two threads do: {}, then {}. In another run the second may come first.",
                          access_text(model, race.first, what), access_text(model, race.second, "it")),
          .proved = false};
}

}  // namespace culprit
