#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "recording/event_text.h"
#include "recording/record.h"

namespace culprit::cli {
namespace {

std::string how_it_ended(const recording::Manifest& manifest) {
  if (manifest.exit_signal) return fmt::format("was ended by {}", recording::signal_name(manifest.exit_signal));
  return fmt::format("exited with {}", manifest.exit_status);
}

ExitCode run(const recording::RecordOptions& options, bool json) {
  const recording::Recorded recorded = recording::record(options);
  const recording::Manifest& manifest = recorded.manifest;
  if (json) {
    const nlohmann::json text = {{"recording", recorded.directory.string()},
                                 {"exit_status", manifest.exit_status},
                                 {"exit_signal", manifest.exit_signal},
                                 {"events", manifest.events},
                                 {"stream_bytes", manifest.stream_bytes}};
    fmt::print(stderr, "{}\n", text.dump());
  } else {
    fmt::print(stderr, "culprit: the program {}; recorded {} events in {}\n", how_it_ended(manifest), manifest.events,
               recorded.directory.string());
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    "record",
    "Record a run of a program, so that it can be repeated exactly",
    "Runs PROGRAM with its arguments and records all that reached it from outside: results of system calls, signals,\n"
    "time. Needs no privileges, hardware counters or special kernel. The recording is a directory; without -o it gets\n"
    "the next free name PROGRAM-N in $CULPRIT_RECORDINGS or ~/.local/share/culprit/recordings.\n"
    "The program uses the terminal as always; what culprit says goes to standard error.",
    {{"culprit record -- ./prog --verbose input.txt", "records a run into ~/.local/share/culprit/recordings/prog-1"},
     {"culprit record -o crash.rec -- ./prog", "records into the new directory crash.rec"}},
    [](CLI::App& app) {
      auto options = std::make_shared<recording::RecordOptions>();
      auto json = std::make_shared<bool>(false);
      app.add_option("-o,--output", options->directory, "The directory to make")->type_name("DIRECTORY");
      app.add_option("--compression", options->zstd_level, "Level of zstd, from -5 (fast) to 19")
          ->check(CLI::Range(-5, 19))
          ->capture_default_str();
      app.add_flag("--trap", options->trap, "Intercept system calls by seccomp even where the kernel offers dispatch");
      app.add_flag("--json", *json, "Say the result as JSON, on standard error");
      app.add_option("command", options->command, "The program and its arguments, after --")->required();
      app.prefix_command(false);
      app.positionals_at_end();
      return [options, json] { return run(*options, *json); };
    }}};

}  // namespace
}  // namespace culprit::cli
