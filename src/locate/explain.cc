#include "locate/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "session/variables.h"

namespace culprit {
namespace {

constexpr uint64_t kLogCapacity = uint64_t{1} << 26;  // branch instances; 256 MiB, used as far as the run is long
constexpr size_t kMostFrames = 64;
constexpr size_t kFramesWithVariables = 2;
constexpr size_t kMostSuspects = 10;

struct FailingRun {
  ObservedEnd end;
  std::vector<std::vector<VariableValue>> variables;  ///< of the innermost frames
  ControlBlock::BranchLog log;
};

/// Runs the program once as it is, logs its branches, and looks at it where it stops.
FailingRun observe(const ExplainRequest& request, const program::ProgramModel& model) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kLogBranches;
  setup.log_capacity = kLogCapacity;
  setup.stop_for_inspection = true;
  const ControlBlock control(setup);
  ControlledRun run(request.launch, control);
  FailingRun result;
  if (run.wait_for_stop(request.time_limit)) {
    result.end.stop = control.head().stop;
    result.end.frames = read_frames(run, result.end.stop.frames, kMostFrames);
    for (size_t i = 0; i < result.end.frames.size() && i < kFramesWithVariables; ++i) {
      result.variables.push_back(read_variables(run, model, result.end.frames[i]));
    }
    run.release();
  }
  result.end.wait_status = run.end().wait_status;
  result.end.timed_out = run.end().timed_out;
  result.end.output = run.standard_output();
  result.end.error = run.standard_error();
  result.log = control.branch_log();
  return result;
}

Oracle oracle_for(const ExplainRequest& request, const ObservedEnd& end) {
  return {.exit_status = request.expectation.exit_status,
          .output = request.expectation.output,
          .output_prefix = request.expectation.output ? std::string() : end.output};
}

std::string ordinal(uint64_t n) {
  const uint64_t tens = n % 100;
  const char* ending = tens / 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return fmt::format("{}{}", n, ending);
}

/// Where the program goes on when the branch is taken or not: "line 40".
std::string way_text(const program::ProgramModel& model, uint32_t block, bool taken) {
  const format::EdgeKind wanted = taken ? format::EdgeKind::kTrue : format::EdgeKind::kFalse;
  for (const uint32_t edge : model.edges_of(block)) {
    if (model.edge_kind(edge) != wanted) continue;
    for (const uint32_t statement : model.statements_of(model.edge(edge).target)) {
      const format::StatementRecord& record = model.statement(statement);
      if (record.line == 0) continue;
      const bool same_line = record.line == place_of_branch(model, block).line;
      return same_line ? fmt::format("column {} of this line", record.column) : fmt::format("line {}", record.line);
    }
  }
  return taken ? "its true side" : "its false side";
}

report::Finding finding_of(const program::ProgramModel& model, const CriticalBranch& branch, const Oracle& oracle) {
  const std::string which =
      branch.occurrence == 0 ? "In one execution" : fmt::format("In its {} execution", ordinal(branch.occurrence));
  const char* otherwise = branch.repair == Repair::kSurvives
                              ? "the program would end by itself instead of failing, though not as a good run does"
                          : oracle.output ? "the program would do what is expected"
                                          : "the program would not fail";
  return {.kind = branch.repair == Repair::kRepairs ? "critical-branch" : "surviving-branch",
          .place = place_of_branch(model, branch.block),
          .instance = branch.occurrence,
          .evidence =
              fmt::format("{} it led to {}; had it led to {}, {}.", which, way_text(model, branch.block, branch.taken),
                          way_text(model, branch.block, !branch.taken), otherwise),
          .proved = branch.verified};
}

/// Ranks the places of the evidence: a branch that repairs the run before one that only avoids the failure, of equal
/// ones the nearest to the failure first; the failure's own statement counts as evidence between the two.
std::vector<report::Suspect> rank_suspects(const report::Explanation& explanation) {
  std::vector<report::Suspect> suspects;
  std::unordered_set<std::string> named;
  const auto add = [&](const report::SourcePlace& place, std::string why) {
    if (place.line == 0 || suspects.size() == kMostSuspects) return;
    if (!named.insert(fmt::format("{}:{}", place.file, place.line)).second) return;
    suspects.push_back({.rank = static_cast<uint32_t>(suspects.size() + 1), .place = place, .why = std::move(why)});
  };
  const auto add_findings = [&](std::string_view kind, const char* why) {
    for (const report::Finding& finding : explanation.findings) {
      if (finding.kind == kind && finding.proved) add(finding.place, why);
    }
  };
  add_findings("critical-branch", "switching this branch makes the run succeed");
  add(explanation.failure->place, "the failure shows here");
  add_findings("surviving-branch", "switching this branch avoids the failure");
  for (size_t i = 1; i < explanation.activations.size() && i < 4; ++i) {
    add(explanation.activations[i].place, "this call led to the failure");
  }
  return suspects;
}

}  // namespace

report::Explanation explain(const ExplainRequest& request, const program::ProgramModel& model,
                            const ExplainProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  report::Explanation explanation;
  explanation.command = request.command;

  // See how the run fails, and where.
  progress("running the program", 0, 0);
  const FailingRun failing = observe(request, model);
  explanation.failure = recognise_failure(model, failing.end, request.expectation);
  if (!explanation.failure) return explanation;
  for (size_t i = 0; i < failing.end.frames.size(); ++i) {
    report::Activation activation{.place = place_of_statement(model, failing.end.frames[i].statement), .variables = {}};
    if (i < failing.variables.size()) {
      for (const VariableValue& each : failing.variables[i]) activation.variables.push_back({each.name, each.value});
    }
    explanation.activations.push_back(std::move(activation));
  }

  // Find the branches that the failure went through.
  if (failing.end.timed_out) {
    explanation.limits.push_back("switching branches of a run that does not end");
  } else {
    const Oracle oracle = oracle_for(request, failing.end);
    if (!oracle.output) {
      explanation.limits.push_back(
          "comparing with a good run's output: give --expect FILE; without it a run counts as good when it prints the "
          "same up to the failure and ends with exit status 0, which is weak evidence");
    }
    const SwitchingResult switching = switch_predicates(
        request.launch, failing.log, oracle, request.switching,
        [&](uint64_t done, uint64_t planned) { return progress("switching branches", done, planned); });
    for (const CriticalBranch& branch : switching.critical) {
      explanation.findings.push_back(finding_of(model, branch, oracle));
    }
    explanation.effort.experiments = switching.experiments;
    explanation.effort.complete = switching.complete;
  }

  explanation.suspects = rank_suspects(explanation);
  explanation.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return explanation;
}

}  // namespace culprit
