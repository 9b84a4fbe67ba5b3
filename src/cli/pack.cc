#include <fmt/format.h>

#include "base/file.h"
#include "cli/asked_trace.h"
#include "cli/command.h"
#include "recording/recording.h"
#include "recording/replay.h"

namespace culprit::cli {
namespace {

struct Options {
  std::string name;
  std::filesystem::path output;
};

ExitCode run(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.name);
  recording::check_files(recording.directory, recording.manifest);
  const std::string name = recording.directory.filename().string();
  const std::filesystem::path output =
      options.output.empty() ? std::filesystem::path(name + ".tar.gz") : options.output;
  if (std::filesystem::exists(output)) {
    throw UserError(fmt::format("{} exists already", output.string()), "name another file with -o");
  }
  const ProcessEnd end = run_process({"tar", "-czf", output.string(), fmt::format("--exclude={}/{}", name, kKeptTrace),
                                      fmt::format("--exclude={}/{}", name, kKeptEnd), "-C",
                                      recording.directory.parent_path().string(), name});
  if (!end.succeeded()) throw UserError(fmt::format("tar could not make {}", output.string()), "see its message above");
  fmt::print("{}\n", output.string());
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    "pack",
    "Put a recording into one file that can be sent",
    "A recording holds copies of the executable, its libraries and the files that were mapped, so the archive can be\n"
    "replayed on another machine: unpack it there with tar and name the directory to `culprit replay`.",
    {{"culprit pack prog-1 -o prog-1.tar.gz", "packs prog-1"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      add_recording_option(app, options->name);
      app.add_option("-o,--output", options->output, "The archive to make; default: NAME.tar.gz")->type_name("FILE");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
