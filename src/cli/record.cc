#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/plan_of_recording.h"
#include "cli/replay_to.h"
#include "recording/cut.h"
#include "recording/event_text.h"
#include "recording/record.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

/// Without --timeout, of a try of --until-failure: so many times the longest try before, but not less than the least.
constexpr int kLimitFactor = 30;
constexpr std::chrono::milliseconds kLeastLimit{10'000};

std::string how_it_ended(const recording::Manifest& manifest) {
  if (manifest.timed_out) return "was ended at the limit of time";
  if (manifest.exit_signal) return fmt::format("was ended by {}", recording::signal_name(manifest.exit_signal));
  return fmt::format("exited with {}", manifest.exit_status);
}

struct Options {
  recording::RecordOptions record;
  double timeout = 0;  ///< seconds; 0: none
  bool as_is = false;
  bool until_failure = false;
  bool fine = false;
  int tries = 200;
  bool json = false;
};

void say(const recording::Recorded& recorded, const Options& options) {
  const recording::Manifest& manifest = recorded.manifest;
  if (options.json) {
    const nlohmann::json text = {{"recording", recorded.directory.string()},
                                 {"exit_status", manifest.exit_status},
                                 {"exit_signal", manifest.exit_signal},
                                 {"timed_out", manifest.timed_out},
                                 {"events", manifest.events},
                                 {"stream_bytes", manifest.stream_bytes},
                                 {"chaos", options.record.chaos}};
    fmt::print(stderr, "{}\n", text.dump());
  } else {
    fmt::print(stderr, "culprit: the program {}; recorded {} events in {}\n", how_it_ended(manifest), manifest.events,
               recorded.directory.string());
  }
}

/// What bounds the region must be known before the program runs.
RegionPoint check_region(Options& options) {
  const std::filesystem::path program = recording::resolve(options.record.command).path;
  const bool captured = !options.record.fast_build.empty();
  if (!options.record.from.empty()) check_region_point(options.record.from, program, captured);
  if (options.record.to.empty()) return {};
  const RegionPoint last = check_region_point(options.record.to, program, captured);
  options.record.last_thread = last.thread;
  options.record.last_tick = last.tick;
  return last;
}

/// Where the region ends at a statement, that is known only now. The program has run to its end.
void cut_at_end_of_region(const recording::Recorded& recorded, const Options& options) {
  recording::Recording recording = recording::open_recording(recorded.directory.string());
  std::optional<uint64_t> events;
  {
    const std::optional<StoppedReplay> stopped = stop_replay(recording, options.record.to);
    if (!stopped) return;  // said; all of the run is kept
    events = stopped->position.events;
  }
  ++*events;  // the first one behind the point, or the thread would not get there
  recording::cut(std::move(recording), *events, options.record.zstd_level);
  if (!options.json)
    fmt::print(stderr, "culprit: the recording ends with event {}, at {}\n", *events, options.record.to);
}

/// Records with one seed after the other until a run fails; runs that do not are removed.
ExitCode record_until_failure(Options options) {
  if (options.record.chaos == 0) options.record.chaos = 1;
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds longest{0};
  for (int number = 1; number <= options.tries; ++number, ++options.record.chaos) {
    if (options.timeout == 0) options.record.time_limit = std::max(kLeastLimit, kLimitFactor * longest);
    const Clock::time_point start = Clock::now();
    const recording::Recorded recorded = recording::record(options.record);
    longest = std::max(longest, std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - start));
    options.record.chaos_length = std::max(options.record.chaos_length, recorded.length);
    if (recorded.manifest.exit_status != 0 || recorded.manifest.exit_signal != 0) {
      if (!options.json) {
        fmt::print(stderr, "culprit: try {} {} (--chaos={})\n", number, recorded.manifest.timed_out ? "hung" : "failed",
                   options.record.chaos);
      }
      say(recorded, options);
      return ExitCode::kAnswered;
    }
    std::filesystem::remove_all(recorded.directory);
  }
  fmt::print(stderr, "culprit: none of {} runs failed; no recording is kept\n", options.tries);
  return ExitCode::kNothingFound;
}

ExitCode run(Options options) {
  options.record.time_limit =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(options.timeout));
  if (!options.as_is) {
    const std::string plan = options.fine ? "fine" : "fast";
    options.record.build_child = [plan](const std::filesystem::path& program) {
      return build_for_child(program, plan);
    };
  }
  if (options.fine) {
    use_fine_build(options.record);
    if (options.record.chaos == 0) options.record.chaos = 1;
  } else if (!options.as_is) {
    use_fast_build(options.record);
  }
  const RegionPoint last = check_region(options);
  if (options.until_failure) return record_until_failure(options);
  const recording::Recorded recorded = recording::record(options.record);
  say(recorded, options);
  if (last.is_statement) cut_at_end_of_region(recorded, options);
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    "record",
    "Record a run of a program, so that it can be repeated exactly",
    "Runs PROGRAM with its arguments and records all that reached it from outside: results of system calls, signals,\n"
    "time. Needs no privileges, hardware counters or special kernel. The recording is a directory; without -o it gets\n"
    "the next free name PROGRAM-N in $CULPRIT_RECORDINGS or ~/.local/share/culprit/recordings.\n"
    "Of a program compiled with culprit-cc its fast build runs, as by `culprit run`: threads are preempted by ticks, "
    "and\n"
    "every plan can replay it; children that it forks get recordings of their own in DIRECTORY/children. Threads of\n"
    "other programs give way only where they wait. Programs compiled with culprit-cc that are executed by a child,\n"
    "whatever started them (make, a shell), are recorded in DIRECTORY/executed, each by itself.\n"
    "The program uses the terminal as always; what culprit says goes to standard error.",
    {{"culprit record -- ./prog --verbose input.txt", "records a run into ~/.local/share/culprit/recordings/prog-1"},
     {"culprit record -o crash.rec -- ./prog", "records into the new directory crash.rec"},
     {"culprit record --to 'parse()#3' -- ./prog", "ends the recording where parse is called for the third time"},
     {"culprit record --chaos --until-failure -- ./prog", "looks for a schedule of its threads that makes it fail"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("-o,--output", options->record.directory, "The directory to make")->type_name("DIRECTORY");
      app.add_flag("--chaos{1}", options->record.chaos,
                   "Schedule threads at random, to bring out races; --chaos=SEED for another sequence");
      app.add_flag("--as-is", options->as_is,
                   "Record the executable itself also where it was compiled with culprit-cc");
      auto* until_failure =
          app.add_flag("--until-failure", options->until_failure,
                       "Record again and again with --chaos, until a run ends with a signal or a status other than 0");
      app.add_flag("--fine", options->fine,
                   "With --chaos: threads may also be switched at every access to memory that others may see; PROGRAM\n"
                   "is rebuilt for it and must have been compiled with culprit-cc");
      app.add_option("--from", options->record.from,
                     "The region's first point, as of `culprit replay --to`: points in the recording are counted from "
                     "there");
      app.add_option("--to", options->record.to,
                     "The region's last point, where the recording ends; at a tick the program runs on unrecorded, at "
                     "a statement what follows is cut off at the end")
          ->excludes(until_failure);
      app.add_option("--tries", options->tries, "How often --until-failure records")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
      app.add_option(
             "--timeout", options->timeout,
             "Seconds after which the program is ended as by SIGALRM; the recording is finished.\n"
             "--until-failure without it allows 30 times the longest try, at least 10 s; such a hang is a failure")
          ->type_name("SECONDS")
          ->check(CLI::PositiveNumber);
      app.add_option("--limit", options->record.log_limit,
                     "Bytes of log (1G, 500M) at which recording stops; the program runs on unrecorded")
          ->transform(CLI::AsSizeValue(false));
      app.add_option("--sync", options->record.sync_seconds,
                     "Seconds between syncs of the log to the disk; without, power loss may lose all of it")
          ->type_name("SECONDS");
      app.add_option("--compression", options->record.zstd_level, "Level of zstd, from -5 (fast) to 19")
          ->check(CLI::Range(-5, 19))
          ->capture_default_str();
      app.add_flag("--trap", options->record.trap,
                   "Intercept system calls by seccomp even where the kernel offers dispatch");
      app.add_flag("--json", options->json, "Say the result as JSON, on standard error");
      app.add_option("command", options->record.command, "The program and its arguments, after --")->required();
      app.prefix_command(false);
      app.positionals_at_end();
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
