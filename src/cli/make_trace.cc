#include "cli/make_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "build/builder.h"
#include "cli/execution.h"
#include "cli/plan_of_recording.h"
#include "cli/program_path.h"
#include "format/trace_format.h"
#include "recording/recording.h"
#include "recording/replay.h"

namespace culprit::cli {

MadeTrace make_trace(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  const std::filesystem::path program = program_path(words.front());
  BuildResult built;
  {
    Progress progress(fmt::format("build {}", program.filename().string()));
    built = build_program({.program = program, .plan = load_plan("trace"), .keep = {}}, progress);
  }
  trace::TraceCollector collector(folder, {.model = built.model, .executable = built.executable, .words = words});
  const Execution execution{.executable = built.executable,
                            .words = words,
                            .environment = {{format::kTraceVariable, collector.environment_value()}}};
  MadeTrace made;
  made.end = run_and_wait(execution);
  made.trace = collector.finish(made.end);
  return made;
}

MadeTrace make_trace_of_recording(const std::string& recording, const std::filesystem::path& folder) {
  const auto [directory, manifest, stream] = recording::open_recording(recording);
  const BuildResult built = build_for_replay(manifest, load_plan("trace"));
  trace::TraceCollector collector(folder,
                                  {.model = built.model, .executable = built.executable, .words = manifest.arguments});
  const int descriptor = ::open(collector.environment_value().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw UserError(fmt::format("cannot open {}", folder.string()), "choose another folder with -o");
  const format::ReplayReport report =
      recording::replay(directory, stream, {.executable = built.executable, .hook_output = descriptor, .trap = false});
  ::close(descriptor);
  MadeTrace made;
  made.end = {.exit_status = static_cast<int>(report.exit_status), .signal = static_cast<int>(report.exit_signal)};
  made.trace = collector.finish(made.end);
  if (report.state == format::ReplayState::kDiverged) {
    throw UserError(recording::divergence_text(stream, report), "record again");
  }
  if (report.state != format::ReplayState::kFinished && report.state != format::ReplayState::kLogEnded) {
    throw UserError(fmt::format("the replay failed: {}", static_cast<const char*>(report.said)), "record again");
  }
  return made;
}

}  // namespace culprit::cli
