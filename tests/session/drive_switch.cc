// For bench/run switch: switches branch instances of a recorded run, in two ways. Forked: one replay passes by them all
// and forks at each. Restarted: each has a replay of its own from the start. Both must find the same outcomes.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "program/program_model.h"
#include "recording/recording.h"
#include "session/control_block.h"
#include "session/controlled_run.h"

namespace {

using namespace culprit;

constexpr std::chrono::milliseconds kPatience{600'000};
constexpr uint64_t kLogCapacity = uint64_t{1} << 24;

struct Switched {
  std::vector<int> ends;  ///< wait status by experiment
  double per_second = 0;
};

BranchLog log_of(const Launch& launch) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kLogBranches;
  setup.log_capacity = kLogCapacity;
  const ControlBlock control(setup);
  ControlledRun run(launch, control);
  run.wait_for_stop(kPatience);
  return control.branch_log();
}

/// Runs `experiments` in parts of so many to a process.
Switched switch_all(const Launch& launch, const std::vector<PlannedExperiment>& experiments, size_t to_a_process) {
  Switched result;
  const auto began = std::chrono::steady_clock::now();
  for (size_t at = 0; at < experiments.size(); at += to_a_process) {
    ControlSetup setup;
    setup.mode = format::SessionMode::kExperiments;
    const size_t end = std::min(experiments.size(), at + to_a_process);
    setup.experiments.assign(experiments.begin() + static_cast<ptrdiff_t>(at),
                             experiments.begin() + static_cast<ptrdiff_t>(end));
    setup.branch_limit = 100'000'000;
    const ControlBlock control(setup);
    ControlledRun run(launch, control);
    run.wait_for_stop(kPatience);
    for (const format::ExperimentRecord& each : control.experiments()) {
      if (each.finished == 0) throw UserError(fmt::format("instance {} was not reached", each.instance), "");
      result.ends.push_back(each.wait_status);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  result.per_second = static_cast<double>(experiments.size()) / seconds;
  return result;
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UserError(fmt::format("{} is no number", text), "");
  }
  return value;
}

void drive(char** words) {
  const Launch launch{.executable = words[2],
                      .arguments = {},
                      .standard_input = "/dev/null",
                      .recording = std::make_shared<const recording::Recording>(recording::open_recording(words[1]))};
  const program::ProgramModel model = program::ProgramModel::open(words[3]);
  const size_t count = number(words[4]);
  const BranchLog log = log_of(launch);
  // The last instances of branches with two sides.
  std::vector<PlannedExperiment> experiments;
  for (size_t each = log.entries.size(); each-- > 0 && experiments.size() < count;) {
    if (model.edges_of(log.entries[each].block).size() != 2) continue;
    experiments.push_back({.instance = log.first_instance + each, .way = 1 - log.entries[each].way});
  }
  std::reverse(experiments.begin(), experiments.end());
  const Switched forked = switch_all(launch, experiments, experiments.size());
  const Switched restarted = switch_all(launch, experiments, 1);
  if (forked.ends != restarted.ends) throw UserError("experiments that were restarted end otherwise", "");
  fmt::print("branches={} experiments={} forked_per_s={:.1f} restarted_per_s={:.1f}\n", log.entries.size(),
             experiments.size(), forked.per_second, restarted.per_second);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "drive-switch RECORDING EXECUTABLE MODEL COUNT\n");
    return 2;
  }
  try {
    drive(argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "drive-switch: {}\n", error.what());
    return 1;
  }
}
