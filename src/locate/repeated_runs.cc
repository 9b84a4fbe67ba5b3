#include "locate/repeated_runs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kConfirmingRuns = 3;
constexpr std::chrono::milliseconds kConfirmation{300};
constexpr uint32_t kEnoughPassing = 10;
constexpr uint32_t kEnoughFailing = 3;

uint64_t key_of(const format::BranchEntry& entry) {
  return uint64_t{entry.block} << 32 | entry.way;
}

using Ways = std::unordered_set<uint64_t>;

Ways ways_in(const ControlBlock::BranchLog& log) {
  Ways ways;
  for (const format::BranchEntry& entry : log.entries) ways.insert(key_of(entry));
  return ways;
}

class Repetition {
 public:
  Repetition(const Launch& launch, const program::ProgramModel& model, const Expectation& expectation,
             const RepeatLimits& limits)
      : launch_(launch), model_(model), expectation_(expectation), limits_(limits) {}

  void run_once() {
    ObservedRun run = observe_failure(launch_, model_, limits_.run);
    std::optional<report::Failure> failure = recognise_failure(model_, run.end, expectation_);
    ++result_.runs;
    const Ways ways = ways_in(run.log);
    if (!failure) {
      passing_.insert(ways.begin(), ways.end());
      return;
    }
    // Another failure than the first one is not what is to be explained.
    if (result_.failure && result_.failure->kind != failure->kind) {
      --result_.runs;
      return;
    }
    for (const uint64_t each : ways) ++failing_[each];
    ++result_.failed;
    if (result_.failure) return;
    result_.failure = std::move(failure);
    result_.failing = std::move(run);
  }

  RepeatedRuns finish() {
    if (!result_.is_deterministic()) find_what_only_failing_runs_do();
    return std::move(result_);
  }

  bool enough() const {
    const uint32_t passed = result_.runs - result_.failed;
    return passed >= kEnoughPassing && result_.failed >= kEnoughFailing;
  }
  const RepeatedRuns& so_far() const { return result_; }

 private:
  void find_what_only_failing_runs_do() {
    std::unordered_set<uint64_t> seen;
    const std::vector<format::BranchEntry>& entries = result_.failing.log.entries;
    for (size_t i = entries.size(); i-- > 0;) {
      const uint64_t key = key_of(entries[i]);
      if (!seen.insert(key).second || passing_.contains(key) || failing_.at(key) != result_.failed) continue;
      result_.only_when_failing.push_back({.block = entries[i].block, .way = entries[i].way, .last_entry = i});
    }
  }

  const Launch& launch_;
  const program::ProgramModel& model_;
  const Expectation& expectation_;
  const RepeatLimits& limits_;
  RepeatedRuns result_;
  Ways passing_;
  std::unordered_map<uint64_t, uint32_t> failing_;  // runs in which a way was taken
};

}  // namespace

RepeatedRuns run_until_failure(const Launch& launch, const program::ProgramModel& model, const Expectation& expectation,
                               const RepeatLimits& limits, const std::function<bool(uint32_t done)>& progress) {
  Repetition repetition(launch, model, expectation, limits);
  const Clock::time_point end = Clock::now() + limits.all;
  const auto may_go_on = [&] { return Clock::now() < end && progress(repetition.so_far().runs); };
  repetition.run_once();
  const bool hangs = repetition.so_far().failure && repetition.so_far().failure->kind == "hang";
  // A hang costs its whole time limit each time.
  if (hangs) return repetition.finish();
  while (repetition.so_far().failed == 0 && repetition.so_far().runs < limits.tries && may_go_on()) {
    repetition.run_once();
  }
  if (repetition.so_far().failed == 0) return repetition.finish();
  // One more run at least, several where they are short: what fails mostly is not what fails always.
  const Clock::time_point confirmed = Clock::now() + kConfirmation;
  for (uint32_t more = 0; more < kConfirmingRuns && repetition.so_far().is_deterministic(); ++more) {
    if (more > 0 && Clock::now() > confirmed) break;
    repetition.run_once();
  }
  while (!repetition.so_far().is_deterministic() && !repetition.enough() &&
         repetition.so_far().runs < limits.tries * 2 && may_go_on()) {
    repetition.run_once();
  }
  return repetition.finish();
}

}  // namespace culprit
