#include "locate/single_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/error.h"
#include "locate/observe.h"
#include "locate/suppression.h"
#include "locate/value_replacement.h"

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

/// What is said of a call by the name of its callee, of a write or a return by what it is.
std::string text_of(const program::ProgramModel& model, uint32_t statement) {
  const format::StatementRecord& record = model.statement(statement);
  if (record.kind == format::StatementKind::kReturn) return fmt::format("{} (a return)", record.column);
  if (record.kind != format::StatementKind::kCall) return fmt::format("{} (a write)", record.column);
  const uint32_t callee = model.call(record.detail).callee;
  return callee == program::kNone ? fmt::format("{} (an indirect call)", record.column)
                                  : fmt::format("{} (a call of {})", record.column, model.function_name(callee));
}

/// With another value a return can be altered as well.
uint32_t alterable_at(const program::ProgramModel& model, const program::SourcePosition& at, bool with_value) {
  std::vector<uint32_t> found;
  for (const uint32_t statement : program::find_statements(model, at)) {
    if (can_be_suppressed(model, statement) || (with_value && can_be_replaced(model, statement))) {
      found.push_back(statement);
    }
  }
  const std::string place = fmt::format("{}:{}", at.file, at.line);
  if (found.empty()) {
    throw UserError(fmt::format("nothing at {} writes memory{} makes a call that returns", place,
                                with_value ? ", returns a value or" : " or"),
                    "name a line with an assignment or a call");
  }
  if (found.size() > 1) {
    std::vector<std::string> texts;
    for (const uint32_t each : found) texts.push_back(text_of(model, each));
    throw UserError(fmt::format("{} statements at {} write, call or return", found.size(), place),
                    fmt::format("add the column of one: {}:{}", place, fmt::join(texts, ", ")));
  }
  return found.front();
}

void check_instance(const char* what, const program::SourcePosition& at, uint64_t executions) {
  if (executions != 0 && at.instance <= executions) return;
  throw UserError(fmt::format("the {} was executed {} times", what, executions),
                  "name an execution that there was, or none for all of them");
}

/// Makes the experiment, of a run with so many branch instances.
void make(const Launch& launch, const PlannedExperiment& planned, uint64_t branches, std::chrono::milliseconds limit,
          SingleOutcome& outcome) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kExperiments;
  setup.branch_limit = branches * kMostBranchesMore + kBranchesAtLeast;
  setup.experiments = {planned};
  setup.keep_outputs = kKeptOutput;
  const ControlBlock control(setup);
  ControlledRun run(launch, control);
  run.wait_for_stop(limit);
  const format::ExperimentRecord& experiment = control.experiments().front();
  outcome.stopped = experiment.finished == 0 || experiment.stop.reason == format::StopReason::kLimit;
  outcome.wait_status = experiment.wait_status;
  if (const auto output = control.output_of(experiment); output && experiment.finished != 0) outcome.output = *output;
}

}  // namespace

SingleOutcome switch_once(const Launch& launch, const program::ProgramModel& model, const SwitchRequest& request) {
  SingleOutcome outcome;
  const uint32_t branch = branch_at(model, request.at);
  const ObservedRun unaltered = observe_failure(launch, model, request.limit);
  outcome.unaltered_status = unaltered.end.wait_status;

  const bool each = request.at.instance == 0;
  const uint64_t wanted = each ? 1 : request.at.instance;
  uint64_t instance = 0;
  uint32_t way = 0;
  for (size_t i = 0; i < unaltered.log.entries.size(); ++i) {
    if (unaltered.log.entries[i].block != branch || ++outcome.executions != wanted) continue;
    instance = unaltered.log.first_instance + i;
    way = unaltered.log.entries[i].way;
  }
  check_instance("branch", request.at, outcome.executions);
  const bool two_sides = model.edges_of(branch).size() == 2;
  make(launch,
       unaltered.log.placed({.instance = instance,
                             .way = way_to(model, branch, way, request.to_line),
                             .scope = !each       ? format::SwitchScope::kInstance
                                      : two_sides ? format::SwitchScope::kEachInverted
                                                  : format::SwitchScope::kSameWay}),
       unaltered.log.entries.size(), request.limit, outcome);
  return outcome;
}

SingleOutcome suppress_once(const Launch& launch, const program::ProgramModel& model, const SuppressRequest& request) {
  SingleOutcome outcome;
  const uint32_t statement = alterable_at(model, request.at, request.value.has_value());
  ControlSetup setup;
  setup.mode = format::SessionMode::kLogBranches;
  setup.log_capacity = 1;
  setup.counted_statement = statement;
  const ControlBlock control(setup);
  ControlledRun unaltered(launch, control);
  unaltered.wait_for_stop(request.limit);
  outcome.unaltered_status = unaltered.end().wait_status;
  outcome.executions = control.head().executions;
  check_instance("statement", request.at, outcome.executions);

  const bool each = request.at.instance == 0;
  const bool call = model.statement(statement).kind == format::StatementKind::kCall;
  make(launch,
       {.instance = 0,
        .scope = each ? format::SwitchScope::kSameWay : format::SwitchScope::kInstance,
        .statement = statement,
        .action = !call && request.value ? format::StatementAction::kReplaceWrite : format::StatementAction::kSuppress,
        .passes = each ? 0 : request.at.instance - 1,
        .value = request.value.value_or(0)},
       control.head().branches, request.limit, outcome);
  return outcome;
}

}  // namespace culprit
