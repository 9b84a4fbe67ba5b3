#include "cli/session_program.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "build/builder.h"
#include "build/plan.h"
#include "cli/plan_of_recording.h"
#include "cli/program_path.h"
#include "recording/place.h"
#include "recording/recording.h"

namespace culprit::cli {

StandardInput::StandardInput() {
  if (::isatty(0)) return;
  std::error_code error;
  const auto target = std::filesystem::read_symlink("/proc/self/fd/0", error);
  if (!error && std::filesystem::is_regular_file(target, error)) {
    path_ = target;
    return;
  }
  copy_.emplace(temporary_place("stdin"));
  const std::string name = copy_->path() / "input";
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) throw UserError("cannot keep the standard input in " + name, "free some space, or set TMPDIR");
  path_ = name;
  std::string buffer(1 << 16, '\0');
  for (ssize_t got; (got = ::read(0, buffer.data(), buffer.size())) > 0;) {
    if (::write(descriptor, buffer.data(), static_cast<size_t>(got)) != got) {
      ::close(descriptor);
      throw UserError("cannot keep the standard input in " + name, "free some space, or set TMPDIR");
    }
  }
  ::close(descriptor);
}

namespace {

/// The recording that the one word of a command names rather than a program.
std::shared_ptr<const recording::Recording> named_recording(const std::vector<std::string>& command) {
  if (command.size() != 1 || !recording::recording_named(command.front())) return nullptr;
  return std::make_shared<const recording::Recording>(recording::open_recording(command.front()));
}

SessionProgram replayed_program(const std::shared_ptr<const recording::Recording>& recorded, const char* plan) {
  const BuildResult built = build_for_replay(recorded->manifest, load_plan(plan));
  if (built.model.empty()) throw UserError("this build has no program model", "clear the cache: culprit cache --clear");
  return {.launch = {.executable = built.executable,
                     .arguments = recorded->manifest.arguments,
                     .standard_input = "/dev/null",
                     .recording = recorded},
          .model = program::ProgramModel::open(built.model)};
}

}  // namespace

SessionProgram session_program(const std::vector<std::string>& command, const StandardInput& input, Progress& progress,
                               const char* plan_name) {
  if (const auto recorded = named_recording(command)) return replayed_program(recorded, plan_name);
  Plan plan = load_plan(plan_name);
  plan.fast_bodies = true;  // so that it replays recordings, too
  const BuildResult built =
      build_program({.program = program_path(command.front()), .plan = std::move(plan), .keep = {}}, progress);
  if (built.model.empty()) throw UserError("this build has no program model", "clear the cache: culprit cache --clear");
  return {.launch = {.executable = built.executable, .arguments = command, .standard_input = input.path()},
          .model = program::ProgramModel::open(built.model)};
}

}  // namespace culprit::cli
