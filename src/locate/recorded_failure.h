// The failing run as a recording: what is found out about it later, is found out about one execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/temporary_directory.h"
#include "locate/failure.h"
#include "locate/observe.h"
#include "locate/repeated_runs.h"
#include "session/controlled_run.h"

namespace culprit {

/// The program rebuilt by the plan `fast`, of whose recordings executables of other plans make replays.
struct RecordableProgram {
  std::filesystem::path executable;
  std::string key;
};

struct RecordedFailure {
  std::shared_ptr<const TemporaryDirectory> folder;  ///< of the recording; empty when it was there before
  Launch launch;                                     ///< replays it
  ObservedRun run;
};

/// A recorded run of which only the end is known.
struct FirstRun {
  std::shared_ptr<const TemporaryDirectory> folder;
  ObservedEnd end;
  std::chrono::milliseconds took{};
};

/// The recording's directory.
std::filesystem::path recording_of(const FirstRun& run);

/// Records one run, before anything else is done: later ones may not fail as it does, since a program may change what
/// it reads. Nothing when it does not end in time or cannot be recorded.
std::optional<FirstRun> record_first_run(const Launch& launch, const RecordableProgram& program,
                                         std::chrono::milliseconds limit);

/// `launch`: of another plan. Throws UserError when the replay differs.
RecordedFailure replay_first_run(const FirstRun& first, const Launch& launch, const program::ProgramModel& model,
                                 std::chrono::milliseconds limit);

/// Records the program until a run fails like `failing` and a replay of it by the launch's executable shows the same.
/// Nothing when it cannot be had; `why_not` says why. Of a program that is `steady`, it is given up sooner.
std::optional<RecordedFailure> record_failure(const Launch& launch, const RecordableProgram& program,
                                              const program::ProgramModel& model, const Expectation& expectation,
                                              const report::Failure& failing, bool steady,
                                              std::chrono::milliseconds limit, std::string& why_not);

struct ScheduleLimits {
  std::chrono::milliseconds run{10'000};  ///< of one run: longer is a hang
  std::chrono::milliseconds all{15'000};  ///< for finding one that fails
};

/// Records the program under random schedules of its threads until a run fails, and then until `runs`, to which all are
/// added, has enough. Nothing when none fails, or when the program has one thread only.
std::optional<RecordedFailure> record_under_schedules(const Launch& launch, const RecordableProgram& program,
                                                      const program::ProgramModel& model, const ScheduleLimits& limits,
                                                      const std::function<bool(uint32_t done)>& progress,
                                                      RunComparison& runs);

}  // namespace culprit
