// `culprit trace`: runs a program and keeps what is needed to find every dependence of the run.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/execution.h"
#include "cli/make_trace.h"
#include "cli/trace_region.h"
#include "recording/place.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string folder;
  bool path = false;
  bool values = false;
  uint64_t last = 0;
  std::string from, to;
  bool as_json = false;

  format::TraceContents contents() const {
    if (path) return format::TraceContents::kPath;
    return values ? format::TraceContents::kValues : format::TraceContents::kAll;
  }
};

/// Nothing when the run does not reach a point that was named.
std::optional<MadeTrace> trace_of_recording(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.words.front());
  if (options.last != 0) return make_trace_of_end(recording, options.folder, options.last << 20);
  if (!options.from.empty() || !options.to.empty()) {
    return make_trace_of_region(recording, options.folder, options.from, options.to);
  }
  return make_trace_of_recording(recording, options.folder, {}, options.contents());
}

void tell(const Options& options, const MadeTrace& made) {
  if (options.as_json) {
    const nlohmann::json json{{"folder", options.folder},
                              {"events_bytes", made.trace.plain_bytes},
                              {"stored_bytes", made.trace.stored_bytes},
                              {"exit_status", made.end.exit_status},
                              {"signal", made.end.signal}};
    fmt::print(stderr, "{}\n", json.dump());
    return;
  }
  fmt::print(stderr, "culprit: traced to {}: {} bytes of events, {} stored\n", options.folder, made.trace.plain_bytes,
             made.trace.stored_bytes);
}

ExitCode trace_program(const Options& options) {
  if (options.words.empty()) {
    throw UserError("neither a program nor a recording is given",
                    "culprit trace -o FOLDER -- PROGRAM ARGUMENTS, or culprit trace -o FOLDER NAME");
  }
  if (options.words.size() == 1 && recording::recording_named(options.words.front())) {
    const std::optional<MadeTrace> made = trace_of_recording(options);
    if (!made) return ExitCode::kNothingFound;
    tell(options, *made);
    return ExitCode::kAnswered;
  }
  if (options.last != 0 || !options.from.empty() || !options.to.empty()) {
    throw UserError("only of a recording it is known what comes when",
                    "culprit record -o REC -- PROGRAM, then culprit trace --last N REC, or --from and --to");
  }
  const MadeTrace made = make_trace(options.words, options.folder, options.contents());
  tell(options, made);
  end_like(made.end);
}

const Registration kRegistration{Command{
    .name = "trace",
    .summary = "Run a program and keep the trace of its dependences",
    .description =
        "Builds PROG by the plan trace when that was not done before, and runs it: same arguments, same standard\n"
        "streams, same exit status. Its path through the program and the addresses that it accesses go to a folder,\n"
        "which `culprit slice` reads. A crash does not lose anything. The path alone is shown by `culprit dump "
        "trace`;\n"
        "slices need the addresses, too.",
    .examples = {{"culprit trace -o t -- ./prog file", "runs ./prog; the trace is in t"},
                 {"culprit trace -o t prog-3", "replays prog-3"},
                 {"culprit trace -o t --last 100 prog-3", "only the end of a long run: 100 MiB of events"},
                 {"culprit trace -o t --from 'parse()#3' --to prog.c:40#900 prog-3",
                  "what lies between: a little more at both sides"},
                 {"culprit slice t --at prog.c:12 --var n", "asks about it"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->words,
                     "a program compiled with culprit-cc and its arguments, after --; or a recording, to be replayed");
      app.add_option("-o,--output", options->folder, "folder for the trace")->default_val("culprit-trace");
      auto* path =
          app.add_flag("--path", options->path, "the path alone: which branches were taken, for less time and room");
      app.add_flag("--values", options->values, "also what was stored, for more time and room")->excludes(path);
      auto* last = app.add_option("--last", options->last,
                                  "of a recording: only its end, so many MiB of events of its main thread; with values")
                       ->check(CLI::Range(1U, 1U << 20))
                       ->excludes(path);
      const auto add_point = [&](const char* name, std::string& point, const char* text) {
        app.add_option(name, point, text)->excludes(path)->excludes(last);
      };
      add_point(
          "--from", options->from,
          "of a recording: only what follows this point, as of `culprit replay --to`, and a little before it; with "
          "values. Executions are counted from where the trace begins");
      add_point("--to", options->to,
                "of a recording: only what comes before this point, and a little behind it; with values");
      app.add_flag("--json", options->as_json, "a line of JSON on standard error at the end");
      return [options] { return trace_program(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
