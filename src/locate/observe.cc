#include "locate/observe.h"

#include <algorithm>

#include "locate/own_statements.h"
#include "program/source_position.h"
#include "recording/deadlock.h"

namespace culprit {
namespace {

constexpr uint64_t kLogCapacity = uint64_t{1} << 26;  // branch instances; 512 MiB, used as far as the run is long
constexpr uint64_t kFewBranches = uint64_t{1} << 22;  // of a run that is logged a second time
constexpr size_t kMostFrames = 64;
constexpr size_t kOwnFramesWithVariables = 2;

/// A program that writes where it should not may have damaged what it told.
void forget_what_cannot_be(const program::ProgramModel& model, ObservedRun& run) {
  const bool possible = std::all_of(run.log.entries.begin(), run.log.entries.end(),
                                    [&model](const auto& each) { return each.block < model.blocks().size(); });
  if (!possible) run.log = {};
  if (run.bounds.statement >= model.statements().size()) run.bounds = {};
}

ObservedRun observe(const Launch& launch, const program::ProgramModel& model, const ControlSetup& setup,
                    std::chrono::milliseconds limit) {
  const ControlBlock control(setup);
  ControlledRun run(launch, control);
  ObservedRun result;
  if (run.wait_for_stop(limit)) {
    result.end.stop = control.head().stop;
    result.end.frames = read_frames(memory_of(run), result.end.stop.frames, kMostFrames);
    // The loop of a run that hangs may be further out.
    const size_t with_variables = run.end().timed_out ? kMostFrames : kOwnFramesWithVariables;
    size_t own = 0;
    for (size_t i = 0; i < result.end.frames.size() && own < with_variables; ++i) {
      result.variables.push_back(read_variables(memory_of(run), model, result.end.frames[i]));
      if (is_own_statement(model, result.end.frames[i].statement)) ++own;
    }
    const std::filesystem::path code = run.file_at(result.end.stop.instruction);
    if (code != launch.executable) result.end.library = code.filename().string();
    if (result.end.stop.reason == format::StopReason::kStackOverflow) {
      result.recursion = find_recursion(memory_of(run), model, result.end.stop.frames);
    }
    run.release();
  }
  result.end.wait_status = run.end().wait_status;
  result.end.timed_out = run.end().timed_out;
  result.end.peak_bytes = run.end().peak_bytes;
  result.end.cpu_seconds = run.end().cpu_seconds;
  result.end.output = run.standard_output();
  result.end.error = run.standard_error();
  result.bounds = control.head().bounds;
  if (setup.mode == format::SessionMode::kLogBranches) result.log = control.branch_log();
  forget_what_cannot_be(model, result);
  if (!result.log.entries.empty()) result.branches = result.log.first_instance + result.log.entries.size() - 1;
  return result;
}

}  // namespace

ObservedRun observe_failure(const Launch& launch, const program::ProgramModel& model, std::chrono::milliseconds limit) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kLogBranches;
  setup.log_capacity = kLogCapacity;
  setup.stop_for_inspection = true;
  ObservedRun run = observe(launch, model, setup, limit);
  if (launch.recording) run.end.deadlock = recording::deadlock_of(*launch.recording);
  return run;
}

ObservedRun observe_end(const Launch& launch, const program::ProgramModel& model, std::chrono::milliseconds limit) {
  constexpr uint64_t kNoByte = ~uint64_t{0} - 1;  // that is never written
  ControlSetup setup;
  setup.mode = format::SessionMode::kRun;
  setup.stop_for_inspection = true;
  setup.sealed = !launch.recording;  // a replay is the same execution, and touches nothing
  setup.output_stop = kNoByte;
  return observe(launch, model, setup, limit);
}

ObservedRun observe_output(const Launch& launch, const program::ProgramModel& model, uint64_t byte, uint64_t branches,
                           std::chrono::milliseconds limit) {
  ControlSetup setup;
  setup.mode = branches <= kFewBranches ? format::SessionMode::kLogBranches : format::SessionMode::kRun;
  if (branches <= kFewBranches) setup.log_capacity = 2 * kFewBranches;
  setup.stop_for_inspection = true;
  setup.sealed = true;
  setup.unbuffered = true;
  setup.output_stop = byte;
  return observe(launch, model, setup, limit);
}

ObservedRun observe_bounds(const Launch& launch, const program::ProgramModel& model,
                           const format::BoundsControl& request, std::chrono::milliseconds limit) {
  ControlSetup setup;
  setup.mode = format::SessionMode::kRun;
  setup.stop_for_inspection = true;
  setup.sealed = true;
  setup.bounds = request;
  return observe(launch, model, setup, limit);
}

}  // namespace culprit
