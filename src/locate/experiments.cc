#include "locate/experiments.h"

#include <sys/wait.h>

#include <algorithm>

#include "locate/failure.h"

namespace culprit {
namespace {

constexpr uint64_t kMostBranchesMore = 2;  // an altered run may take so many times the failing run's branches
constexpr uint64_t kBranchesAtLeast = 100'000;
constexpr uint64_t kMostMemoryMore = 3;
constexpr uint64_t kMemoryAtLeast = uint64_t{256} << 20;
constexpr double kMostTimeMore = 5;
constexpr uint64_t kSecondsAtLeast = 1;
constexpr uint64_t kFewBytes = 8;
constexpr uint64_t kKeptOutputs = uint64_t{1} << 28;  // of one run of the program; used as far as outputs are long
constexpr Experimenter::Clock::duration kLeastRun = std::chrono::seconds(1);

/// Of the failing run's or the altered run's output, what lies between the parts that both have.
uint64_t changed_bytes(const format::ExperimentRecord& experiment, const Oracle& oracle) {
  const uint64_t longer = std::max<uint64_t>(experiment.output_bytes, oracle.unaltered_output.size());
  return longer - experiment.same_start - experiment.same_end;
}

/// Who says what is to be printed, and not with which exit status, does not mind it: some warn by one.
bool is_good_status(int wait_status, const Oracle& oracle) {
  if (oracle.output && !oracle.exit_status) return true;
  return WEXITSTATUS(wait_status) == oracle.exit_status.value_or(0);
}

Repair judge(const format::ExperimentRecord& experiment, const ControlBlock& control, const Oracle& oracle) {
  if (!experiment.finished) return Repair::kNone;
  if (oracle.good) {
    const std::optional<std::string_view> output = control.output_of(experiment);
    if (!output || experiment.stop.reason == format::StopReason::kLimit) return Repair::kNone;
    return oracle.good(*output, experiment.wait_status) ? Repair::kRepairs : Repair::kNone;
  }
  const bool right = oracle.output ? experiment.first_difference == ~uint64_t{0}
                                   : experiment.first_difference >= oracle.output_prefix.size();
  const bool ended = WIFEXITED(experiment.wait_status) && experiment.stop.reason == format::StopReason::kNone;
  if (right && ended) {
    if (is_good_status(experiment.wait_status, oracle)) return Repair::kRepairs;
    return oracle.only_status ? Repair::kNone : Repair::kSurvives;
  }
  if (!oracle.output || oracle.right_bytes == ~uint64_t{0}) return Repair::kNone;
  // A run with damaged memory may say anything.
  if (experiment.first_difference > oracle.output->size()) return Repair::kNone;
  if (experiment.first_difference > oracle.right_bytes) return Repair::kFurther;
  const bool confined = ended && experiment.same_start == oracle.right_bytes && experiment.same_end != 0 &&
                        changed_bytes(experiment, oracle) <= kFewBytes;
  return confined ? Repair::kInfluences : Repair::kNone;
}

}  // namespace

RunLimits usual_limits(const ObservedEnd& failing, uint64_t failing_branches) {
  return {.branches = failing_branches * kMostBranchesMore + kBranchesAtLeast,
          .memory_more = kMemoryAtLeast + failing.peak_bytes * kMostMemoryMore,
          .cpu_seconds = kSecondsAtLeast + static_cast<uint64_t>(failing.cpu_seconds * kMostTimeMore)};
}

std::vector<HelpfulExperiment> Experimenter::make(const std::vector<PlannedExperiment>& experiments,
                                                  Clock::time_point until) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kExperiments;
  setup.branch_limit = limits_.branches;
  setup.memory_more = limits_.memory_more;
  setup.cpu_seconds = limits_.cpu_seconds;
  setup.experiments = experiments;
  setup.counted_statement = counted_.statement;
  setup.round_block = counted_.round_block;
  setup.counted_round = counted_.round;
  setup.expected_output = oracle_.output ? *oracle_.output : oracle_.output_prefix;
  setup.unaltered_output = oracle_.unaltered_output;
  if (oracle_.good) setup.keep_outputs = kKeptOutputs;
  const ControlBlock control(setup);
  ControlledRun run(launch_, control);
  run.wait_for_stop(std::chrono::duration_cast<std::chrono::milliseconds>(std::max(until - Clock::now(), kLeastRun)));
  std::vector<HelpfulExperiment> found;
  for (size_t i = 0; i < experiments.size(); ++i) {
    const format::ExperimentRecord& experiment = control.experiments()[i];
    if (experiment.finished) ++finished_;
    const Repair repair = judge(experiment, control, oracle_);
    if (repair == Repair::kNone) continue;
    found.push_back({.planned = experiments[i],
                     .repair = repair,
                     .changed_bytes = changed_bytes(experiment, oracle_),
                     .right_bytes = experiment.first_difference,
                     .executions = experiment.executions,
                     .executions_in_round = experiment.executions_in_round});
  }
  return found;
}

bool is_good_end(const ObservedEnd& end, const Oracle& oracle) {
  if (end.timed_out || !WIFEXITED(end.wait_status) || end.stop.reason != format::StopReason::kNone) return false;
  if (oracle.good) return oracle.good(end.output, end.wait_status);
  const bool right = oracle.output ? end.output == *oracle.output : end.output.starts_with(oracle.output_prefix);
  return right && is_good_status(end.wait_status, oracle);
}

}  // namespace culprit
