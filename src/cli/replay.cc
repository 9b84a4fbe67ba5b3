#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/differing_memory.h"
#include "cli/plan_of_recording.h"
#include "cli/replay_to.h"
#include "recording/event_text.h"
#include "recording/recording.h"
#include "recording/replay.h"

namespace culprit::cli {
namespace {

using format::ReplayReport;
using format::ReplayState;

struct Options {
  std::string name;
  std::string plan;
  std::string to;
  bool verify = false;
  bool json = false;
  bool trap = false;
};

const char* state_text(ReplayState state) {
  switch (state) {
    case ReplayState::kFinished:
      return "finished";
    case ReplayState::kLogEnded:
      return "log-ended";
    case ReplayState::kDiverged:
      return "diverged";
    case ReplayState::kFailed:
    case ReplayState::kRunning:
      break;
  }
  return "failed";
}

void say(const recording::Recording& recorded, const ReplayReport& report) {
  switch (report.state) {
    case ReplayState::kFinished:
      fmt::print(stderr, "culprit: replayed {} events; the program {}\n", report.events,
                 report.exit_signal
                     ? fmt::format("was ended by {}", recording::signal_name(static_cast<int>(report.exit_signal)))
                     : fmt::format("exited with {}", report.exit_status));
      break;
    case ReplayState::kLogEnded:
      fmt::print(stderr, "culprit: replayed {} events; there the recording ends, before the program did\n",
                 report.events);
      break;
    case ReplayState::kDiverged:
      fmt::print(stderr, "culprit: {}\n", recording::divergence_text(recorded.stream, report));
      break;
    case ReplayState::kFailed:
    case ReplayState::kRunning:
      fmt::print(stderr, "culprit: the replay failed: {}\n", static_cast<const char*>(report.said));
      break;
  }
  if (report.memory_differs) {
    fmt::print(stderr, "culprit: the program's final memory differs from that of the recorded run: {}\n",
               differing_memory_text(recorded, report));
  } else if (report.differing_heap_lines != 0) {
    fmt::print(stderr,
               "culprit: variables and user stacks are those of the recorded run; {} of the heap's lines are not, the "
               "first at {:#x} (library code may have copied unused bytes of its stack there)\n",
               report.differing_heap_lines, report.first_differing_in_heap);
  }
}

ExitCode run(const Options& options) {
  const recording::Recording recorded = recording::open_recording(options.name);
  const auto& [directory, manifest, stream] = recorded;
  if (!options.to.empty()) return replay_to(recorded, options.to, options.json);
  if (options.verify) recording::check_files(directory, manifest);

  recording::ReplayOptions replaying{.executable = {}, .slots = -1, .hook_output = -1, .trap = options.trap};
  if (!options.plan.empty()) replaying.executable = build_for_replay(manifest, load_plan(options.plan)).executable;
  const ReplayReport report = recording::replay(directory, stream, replaying);
  const bool same = (report.state == ReplayState::kFinished || report.state == ReplayState::kLogEnded) &&
                    !(options.verify && report.memory_differs);
  if (options.json) {
    const nlohmann::json text = {{"state", state_text(report.state)},
                                 {"events", report.events},
                                 {"exit_status", report.exit_status},
                                 {"exit_signal", report.exit_signal},
                                 {"memory_differs", report.memory_differs != 0},
                                 {"differing_lines", report.differing_lines},
                                 {"first_differing", report.first_differing},
                                 {"differing_heap_lines", report.differing_heap_lines},
                                 {"said", static_cast<const char*>(report.said)}};
    fmt::print(stderr, "{}\n", text.dump());
  } else {
    say(recorded, report);
  }
  return same ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

const Registration kRegistration{Command{
    "replay",
    "Repeat a recorded run exactly",
    "Runs the recorded program again. Whatever it asks of the kernel is answered from the recording, so that nothing\n"
    "outside is read, written or started; its output is shown again. Every system call is compared with the recorded\n"
    "one, arguments and written data included. With --verify, also the copied files before and the whole memory "
    "after.\n"
    "Exit status 1: the replay differs from the recording.",
    {{"culprit replay", "replays the latest recording"},
     {"culprit replay prog-3 --verify", "replays prog-3 and compares all that can be compared"},
     {"culprit replay prog-3 --to parse.c:88#3", "stops before the third execution of the line"},
     {"culprit replay prog-3 --plan homes", "replays prog-3 with variables in memory"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      add_recording_option(app, options->name);
      app.add_flag("--verify", options->verify, "Also compare copied files and final memory");
      app.add_option("--to", options->to,
                     "Stop at a point and show activations and variables: crash, exit, tick:THREAD:N, "
                     "FUNCTION()[#INSTANCE], FILE:LINE[:COLUMN][#INSTANCE], or an id that "
                     "culprit points prints, pepid:WORDS");
      app.add_option("--plan", options->plan,
                     "Run another plan's build: fast, registers, homes, session or a TOML file");
      app.add_flag("--trap", options->trap, "Intercept system calls by seccomp even where the kernel offers dispatch");
      app.add_flag("--json", options->json, "Say the result as JSON, on standard error");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
