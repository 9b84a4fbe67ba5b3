#include "cli/make_trace.h"

#include <fmt/format.h>

#include "build/builder.h"
#include "cli/execution.h"
#include "cli/plan_of_recording.h"
#include "cli/program_path.h"
#include "format/trace_format.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

const char* plan_of(format::TraceContents contents) {
  return contents == format::TraceContents::kPath ? "path" : "trace";
}

}  // namespace

MadeTrace make_trace(const std::vector<std::string>& words, const std::filesystem::path& folder,
                     format::TraceContents contents) {
  const std::filesystem::path program = program_path(words.front());
  BuildResult built;
  {
    Progress progress(fmt::format("build {}", program.filename().string()));
    built = build_program({.program = program, .plan = load_plan(plan_of(contents)), .keep = {}}, progress);
  }
  trace::TraceCollector collector(
      folder, {.model = built.model, .executable = built.executable, .contents = contents, .words = words});
  const Execution execution{.executable = built.executable,
                            .words = words,
                            .environment = {{format::kTraceVariable, collector.environment_value()}}};
  MadeTrace made;
  made.end = run_and_wait(execution);
  made.trace = collector.finish(made.end);
  return made;
}

MadeTrace make_trace_of_recording(const recording::Recording& recording, const std::filesystem::path& folder,
                                  const recording::Surroundings& surroundings, format::TraceContents contents) {
  const BuildResult built = build_for_replay(recording.manifest, load_plan(plan_of(contents)));
  return trace::trace_recording(recording, folder,
                                {.model = built.model,
                                 .executable = built.executable,
                                 .contents = contents,
                                 .words = recording.manifest.arguments},
                                surroundings);
}

}  // namespace culprit::cli
