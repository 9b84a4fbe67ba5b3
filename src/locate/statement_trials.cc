#include "locate/statement_trials.h"

#include <algorithm>
#include <deque>

namespace culprit {
namespace {

constexpr size_t kWindow = 256;  // trials of one run of the program

PlannedExperiment plan(const StatementTrial& trial) {
  return {.instance = trial.execution.instance,
          .statement = trial.execution.statement,
          .action = trial.action,
          .passes = trial.execution.passes,
          .value = trial.value};
}

bool is_plan_of(const PlannedExperiment& planned, const StatementTrial& trial) {
  return trial.execution.statement == planned.statement && trial.execution.instance == planned.instance &&
         trial.execution.passes == planned.passes && trial.value == planned.value;
}

}  // namespace

bool StatementTrials::is_time_left() {
  if (Clock::now() < deadline_) return true;
  cut_short_ = true;
  return false;
}

std::vector<HelpfulTrial> StatementTrials::make(std::vector<StatementTrial> trials, size_t most, bool until_found) {
  std::vector<HelpfulTrial> found;
  cut_short_ = cut_short_ || trials.size() > most;
  trials.resize(std::min(trials.size(), most));
  std::deque<StatementTrial> open(trials.begin(), trials.end());
  while (!open.empty() && Clock::now() < deadline_ && go_on_(experimenter_.finished())) {
    const auto end = open.begin() + static_cast<long>(std::min(kWindow, open.size()));
    std::vector<StatementTrial> window(open.begin(), end);
    open.erase(open.begin(), end);
    const std::vector<StatementTrial> later = make_in_one_run(std::move(window), found);
    open.insert(open.begin(), later.begin(), later.end());
    if (until_found && !found.empty()) return found;
  }
  cut_short_ = cut_short_ || !open.empty();
  return found;
}

/// Returns those that have to wait for another run: a trial right behind one on another statement does not know how
/// often its own was executed in between.
std::vector<StatementTrial> StatementTrials::make_in_one_run(std::vector<StatementTrial> window,
                                                             std::vector<HelpfulTrial>& found) {
  std::stable_sort(window.begin(), window.end(),
                   [](const auto& one, const auto& other) { return one.order < other.order; });
  std::vector<StatementTrial> made, later;
  std::vector<PlannedExperiment> planned;
  for (const StatementTrial& each : window) {
    const bool right_behind = !made.empty() && made.back().execution.instance == each.execution.instance &&
                              made.back().execution.statement != each.execution.statement;
    if (right_behind && each.execution.passes != 0) {
      later.push_back(each);
      continue;
    }
    made.push_back(each);
    planned.push_back(plan(each));
  }
  planned_ += planned.size();
  for (const HelpfulExperiment& helpful : experimenter_.make(planned, deadline_)) {
    if (helpful.repair != Repair::kRepairs && helpful.repair != Repair::kSurvives) continue;
    const auto at = std::find_if(made.begin(), made.end(),
                                 [&](const StatementTrial& each) { return is_plan_of(helpful.planned, each); });
    found.push_back({.trial = *at, .repair = helpful.repair});
  }
  return later;
}

bool StatementTrials::is_confirmed(const HelpfulTrial& helpful) {
  ++planned_;
  const auto again = experimenter_.make({plan(helpful.trial)}, deadline_);
  return again.size() == 1 && again.front().repair == helpful.repair;
}

}  // namespace culprit
