#include "cli/make_trace.h"

#include <fmt/format.h>

#include "base/error.h"
#include "build/builder.h"
#include "cli/execution.h"
#include "cli/plan_of_recording.h"
#include "cli/program_path.h"
#include "format/trace_format.h"
#include "recording/recording.h"
#include "trace/trace_file.h"

namespace culprit::cli {

namespace fs = std::filesystem;

namespace {

const char* plan_of(format::TraceContents contents) {
  if (contents == format::TraceContents::kPath) return "path";
  return contents == format::TraceContents::kValues ? "values" : "trace";
}

}  // namespace

MadeTrace make_trace(const std::vector<std::string>& words, const fs::path& folder, format::TraceContents contents) {
  const fs::path program = program_path(words.front());
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

trace::TraceOrigin origin_of_trace(const recording::Recording& recording, format::TraceContents contents) {
  const BuildResult built = build_for_replay(recording.manifest, load_plan(plan_of(contents)));
  return {.model = built.model,
          .executable = built.executable,
          .contents = contents,
          .words = recording.manifest.arguments};
}

MadeTrace make_trace_of_recording(const recording::Recording& recording, const fs::path& folder,
                                  const recording::Surroundings& surroundings, format::TraceContents contents) {
  return trace::trace_recording(recording, folder, origin_of_trace(recording, contents), surroundings);
}

MadeTrace make_trace_of_end(const recording::Recording& recording, const fs::path& folder, uint64_t bytes,
                            const recording::Surroundings& surroundings) {
  return trace::trace_end_of(recording, folder, origin_of_trace(recording, format::TraceContents::kValues), bytes,
                             surroundings);
}

}  // namespace culprit::cli
