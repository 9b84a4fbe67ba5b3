#include "locate/single_switch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/error.h"
#include "locate/observe.h"

namespace culprit {
namespace {

constexpr uint64_t kKeptOutput = uint64_t{1} << 30;
constexpr uint64_t kMostBranchesMore = 10;  // an altered run may take so many times the unaltered run's branches
constexpr uint64_t kBranchesAtLeast = 10'000'000;

uint32_t branch_at(const program::ProgramModel& model, const program::SourcePosition& at) {
  std::set<uint32_t> blocks;
  for (const uint32_t statement : program::find_statements(model, at)) {
    const uint32_t block = model.block_of_statement(statement);
    const program::Indices statements = model.statements_of(block);
    if (statements.back() == statement && model.edges_of(block).size() > 1) blocks.insert(block);
  }
  const std::string place = fmt::format("{}:{}", at.file, at.line);
  if (blocks.empty()) throw UserError(fmt::format("there is no branch at {}", place), "name a line with a condition");
  if (blocks.size() > 1) {
    std::vector<uint32_t> columns;
    for (const uint32_t block : blocks) columns.push_back(place_of_branch(model, block).column);
    throw UserError(fmt::format("there are {} branches at {}", blocks.size(), place),
                    fmt::format("add the column of one: {}:{}", place, fmt::join(columns, ", ")));
  }
  return *blocks.begin();
}

uint32_t way_to(const program::ProgramModel& model, uint32_t block, uint32_t way, uint32_t line) {
  const program::Indices edges = model.edges_of(block);
  std::vector<uint32_t> lines;
  for (uint32_t other = 0; other < edges.size(); ++other) {
    for (const uint32_t statement : model.statements_of(model.edge(edges[other]).target)) {
      const uint32_t its = model.statement(statement).line;
      if (its == 0) continue;
      if (line == its) return other;
      lines.push_back(its);
      break;
    }
  }
  if (line == 0 && edges.size() == 2) return 1 - way;
  throw UserError(
      line == 0 ? "this branch has more than two sides" : fmt::format("the branch does not lead to line {}", line),
      fmt::format("say where to go: --to {}", fmt::join(lines, ", or ")));
}

}  // namespace

SwitchOutcome switch_once(const Launch& launch, const program::ProgramModel& model, const SwitchRequest& request) {
  SwitchOutcome outcome;
  outcome.block = branch_at(model, request.at);
  const ObservedRun unaltered = observe_failure(launch, model, request.limit);
  outcome.unaltered_status = unaltered.end.wait_status;

  const uint64_t wanted = request.at.instance == 0 ? 1 : request.at.instance;
  uint64_t instance = 0;
  for (size_t i = 0; i < unaltered.log.entries.size(); ++i) {
    if (unaltered.log.entries[i].block != outcome.block || ++outcome.executions != wanted) continue;
    instance = unaltered.log.first_instance + i;
    outcome.way = unaltered.log.entries[i].way;
  }
  if (instance == 0) {
    throw UserError(fmt::format("the branch was executed {} times by the main thread", outcome.executions),
                    "name an execution that there was, or none for all of them");
  }
  outcome.other_way = way_to(model, outcome.block, outcome.way, request.to_line);

  const bool each = request.at.instance == 0;
  const bool two_sides = model.edges_of(outcome.block).size() == 2;
  ControlSetup setup;
  setup.mode = format::SessionMode::kExperiments;
  setup.branch_limit = unaltered.log.entries.size() * kMostBranchesMore + kBranchesAtLeast;
  setup.switched = {{.instance = instance,
                     .way = outcome.other_way,
                     .scope = !each       ? format::SwitchScope::kInstance
                              : two_sides ? format::SwitchScope::kEachInverted
                                          : format::SwitchScope::kSameWay}};
  setup.keep_outputs = kKeptOutput;
  const ControlBlock control(setup);
  ControlledRun run(launch, control);
  run.wait_for_stop(request.limit);
  const format::ExperimentRecord& experiment = control.experiments().front();
  outcome.stopped = experiment.finished == 0 || experiment.stop.reason == format::StopReason::kLimit;
  outcome.wait_status = experiment.wait_status;
  if (const auto output = control.output_of(experiment); output && experiment.finished != 0) outcome.output = *output;
  return outcome;
}

}  // namespace culprit
