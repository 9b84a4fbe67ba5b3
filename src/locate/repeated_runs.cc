#include "locate/repeated_runs.h"

#include "locate/own_statements.h"

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

std::unordered_set<uint64_t> ways_in(const BranchLog& log) {
  std::unordered_set<uint64_t> ways;
  for (const format::BranchEntry& entry : log.entries) ways.insert(key_of(entry));
  return ways;
}

/// A crash at the same place is the same, though the addresses in its message are others.
bool is_another(const report::Failure& failure, const report::Failure& first) {
  if (failure.message == first.message) return false;
  const bool at_same_place = failure.place.line != 0 && failure.place.line == first.place.line &&
                             failure.place.column == first.place.column && failure.place.file == first.place.file;
  return failure.kind != first.kind || !at_same_place;
}

}  // namespace

bool RunComparison::add(ObservedRun run) {
  std::optional<report::Failure> failure = recognise_failure(model_, run.end, expectation_);
  // Another failure than the first one is not what is to be explained.
  if (failure && result_.failure && is_another(*failure, *result_.failure)) result_.otherwise = failure->message;
  if (failure && result_.failure && result_.failure->kind != failure->kind) return false;
  ++result_.runs;
  const std::unordered_set<uint64_t> ways = ways_in(run.log);
  if (!failure) {
    passing_.insert(ways.begin(), ways.end());
    passing_tells_threads_ = passing_tells_threads_ || !run.log.turns.empty();
    return false;
  }
  for (const uint64_t each : ways) ++failing_[each];
  ++result_.failed;
  if (result_.failure) return true;
  result_.failure = std::move(failure);
  result_.failing = std::move(run);
  return true;
}

bool RunComparison::enough() const {
  const uint32_t passed = result_.runs - result_.failed;
  return passed >= kEnoughPassing && result_.failed >= kEnoughFailing;
}

RepeatedRuns RunComparison::finish() && {
  if (!result_.is_deterministic()) find_what_only_failing_runs_do();
  return std::move(result_);
}

void RunComparison::find_what_only_failing_runs_do() {
  std::unordered_set<uint64_t> seen;
  const std::vector<format::BranchEntry>& entries = result_.failing.log.entries;
  for (size_t i = entries.size(); i-- > 0;) {
    const uint64_t key = key_of(entries[i]);
    if (cleans_up(model_, entries[i].block)) continue;
    // Runs that are no replays tell of the main thread only.
    const BranchLog& log = result_.failing.log;
    if (!passing_tells_threads_ && log.place_of(log.first_instance + i).thread != 0) continue;
    if (!seen.insert(key).second || passing_.contains(key) || failing_.at(key) != result_.failed) continue;
    result_.only_when_failing.push_back({.block = entries[i].block, .way = entries[i].way, .last_entry = i});
  }
}

std::optional<uint64_t> first_only_when_failing(const RepeatedRuns& runs) {
  std::unordered_set<uint64_t> ways;
  for (const IntermittentBranch& each : runs.only_when_failing) ways.insert(uint64_t{each.block} << 32 | each.way);
  const auto& entries = runs.failing.log.entries;
  for (size_t each = 0; each < entries.size(); ++each) {
    if (ways.contains(key_of(entries[each]))) return runs.failing.log.first_instance + each;
  }
  return std::nullopt;
}

void run_until_failure(const Launch& launch, const program::ProgramModel& model, const RepeatLimits& limits,
                       const std::function<bool(uint32_t done)>& progress, RunComparison& runs) {
  const Clock::time_point end = Clock::now() + limits.all;
  const auto may_go_on = [&] { return Clock::now() < end && progress(runs.so_far().runs); };
  const auto run_once = [&] { runs.add(observe_failure(launch, model, limits.run)); };
  run_once();
  // A hang costs its whole time limit each time.
  if (runs.so_far().failure && runs.so_far().failure->kind == "hang") return;
  while (runs.so_far().failed == 0 && runs.so_far().runs < limits.tries && may_go_on()) run_once();
  if (runs.so_far().failed == 0) return;
  // One more run at least, several where they are short: what fails mostly is not what fails always.
  const Clock::time_point confirmed = Clock::now() + kConfirmation;
  for (uint32_t more = 0; more < kConfirmingRuns && runs.so_far().is_deterministic(); ++more) {
    if (more > 0 && Clock::now() > confirmed) break;
    run_once();
  }
  while (!runs.so_far().is_deterministic() && !runs.enough() && runs.so_far().runs < limits.tries * 2 && may_go_on()) {
    run_once();
  }
}

}  // namespace culprit
