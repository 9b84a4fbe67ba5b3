#include "locate/recorded_failure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "recording/deadlock.h"
#include "recording/record.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

// For recording again and again: a program that fails always needs luck only with its threads.
constexpr std::chrono::milliseconds kTime{10'000}, kTimeOfSteady{2'000};
constexpr uint64_t kLogLimit = uint64_t{1} << 30;

/// Standard streams of a run whose output nobody sees.
class Streams {
 public:
  explicit Streams(const std::filesystem::path& input)
      : input_(::open(input.c_str(), O_RDONLY | O_CLOEXEC)),
        output_(::memfd_create("culprit-stdout", MFD_CLOEXEC)),
        error_(::memfd_create("culprit-stderr", MFD_CLOEXEC)) {
    if (input_ < 0 || output_ < 0 || error_ < 0) {
      throw UserError("cannot open the streams of a run", "raise the limit on open files", ExitCode::kEnvironmentLacks);
    }
  }
  ~Streams() {
    ::close(input_);
    ::close(output_);
    ::close(error_);
  }
  Streams(const Streams&) = delete;
  recording::Surroundings surroundings() const { return {.input = input_, .output = output_, .error = error_}; }
  std::string output() const { return read_file(output_); }
  std::string error() const { return read_file(error_); }

 private:
  int input_, output_, error_;
};

/// Random schedules of threads.
struct Chaos {
  uint64_t seed = 0;  ///< 0: none
  uint64_t length = 0;
};

std::filesystem::path recording_in(const TemporaryDirectory& folder) {
  return folder.path() / "recording";
}

/// False when the time limit ended the run.
bool record_into(const TemporaryDirectory& folder, const Launch& launch, const RecordableProgram& program,
                 const Streams& streams, std::chrono::milliseconds limit, Chaos& chaos) {
  recording::RecordOptions options;
  options.directory = recording_in(folder);
  options.command = launch.arguments;
  options.fast_build = program.executable;
  options.build_key = program.key;
  options.log_limit = kLogLimit;
  options.time_limit = limit;
  options.surroundings = streams.surroundings();
  options.ends_at_deadlock = true;
  options.chaos = chaos.seed;
  options.chaos_length = chaos.length;
  const recording::Recorded made = recording::record(options);
  if (made.manifest.timed_out) return false;
  chaos.length = std::max(chaos.length, made.length);
  return true;
}

/// Nothing when the time limit ended the run.
std::optional<RecordedFailure> record_once(const Launch& launch, const RecordableProgram& program,
                                           const program::ProgramModel& model, std::chrono::milliseconds limit,
                                           Chaos& chaos) {
  const FirstRun run{
      .folder = std::make_shared<TemporaryDirectory>(temporary_place("recording")), .end = {}, .took = {}};
  if (!record_into(*run.folder, launch, program, Streams(launch.standard_input), limit, chaos)) return std::nullopt;
  return replay_first_run(run, launch, model, limit);
}

}  // namespace

std::filesystem::path recording_of(const FirstRun& run) {
  return recording_in(*run.folder);
}

std::optional<FirstRun> record_first_run(const Launch& launch, const RecordableProgram& program,
                                         std::chrono::milliseconds limit) {
  FirstRun first{.folder = std::make_shared<TemporaryDirectory>(temporary_place("recording")), .end = {}, .took = {}};
  const Clock::time_point start = Clock::now();
  const Streams streams(launch.standard_input);
  Chaos chaos;
  try {
    if (!record_into(*first.folder, launch, program, streams, limit, chaos)) return std::nullopt;
    const recording::Recording made = recording::open_recording(recording_in(*first.folder).string());
    first.end.wait_status = W_EXITCODE(made.manifest.exit_status, made.manifest.exit_signal);
    first.end.deadlock = recording::deadlock_of(made);
  } catch (const UserError&) {
    // What cannot be recorded is told when it is tried again for the failure that is then known.
    return std::nullopt;
  }
  first.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  first.end.output = streams.output();
  first.end.error = streams.error();
  return first;
}

RecordedFailure replay_first_run(const FirstRun& first, const Launch& launch, const program::ProgramModel& model,
                                 std::chrono::milliseconds limit) {
  RecordedFailure recorded{.folder = first.folder, .launch = launch, .run = {}};
  recorded.launch.recording =
      std::make_shared<const recording::Recording>(recording::open_recording(recording_in(*first.folder).string()));
  recorded.run = observe_failure(recorded.launch, model, limit);
  return recorded;
}

std::optional<RecordedFailure> record_failure(const Launch& launch, const RecordableProgram& program,
                                              const program::ProgramModel& model, const Expectation& expectation,
                                              const report::Failure& failing, bool steady,
                                              std::chrono::milliseconds limit, std::string& why_not) {
  const Clock::time_point end = Clock::now() + (steady ? kTimeOfSteady : kTime);
  // The first time as it is; perhaps it takes another schedule of its threads to fail.
  Chaos chaos;
  try {
    do {
      std::optional<RecordedFailure> recorded = record_once(launch, program, model, limit, chaos);
      const std::optional<report::Failure> failure =
          recorded ? recognise_failure(model, recorded->run.end, expectation) : std::nullopt;
      // What all threads wait in does not end either.
      const bool is_it =
          failure && (failure->kind == failing.kind || (failing.kind == "hang" && failure->kind == "deadlock"));
      if (is_it) return recorded;
      ++chaos.seed;
    } while (Clock::now() < end);
    why_not = "no recorded run failed like it";
  } catch (const UserError& error) {
    why_not = error.what();
  }
  return std::nullopt;
}

std::optional<RecordedFailure> record_under_schedules(const Launch& launch, const RecordableProgram& program,
                                                      const program::ProgramModel& model, const ScheduleLimits& limits,
                                                      const std::function<bool(uint32_t done)>& progress,
                                                      RunComparison& runs) {
  std::optional<RecordedFailure> failed;
  Clock::time_point end = Clock::now() + limits.all;
  for (Chaos chaos{.seed = 1}; Clock::now() < end && !(failed && runs.enough()); ++chaos.seed) {
    if (!progress(runs.so_far().runs)) break;
    std::optional<RecordedFailure> recorded = record_once(launch, program, model, limits.run, chaos);
    if (!recorded) continue;
    if (chaos.length == 0) break;
    if (!runs.add(recorded->run) || failed) continue;
    failed = std::move(recorded);
    end = Clock::now() + kTimeOfSteady;
  }
  return failed;
}

}  // namespace culprit
