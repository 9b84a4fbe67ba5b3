// `culprit diff`: two executions of a program, or of two versions of one, aligned.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/file.h"
#include "build/builder.h"
#include "build/cache.h"
#include "cli/command.h"
#include "cli/diff_text.h"
#include "cli/diff_view.h"
#include "cli/dual_slice_of.h"
#include "cli/execution.h"
#include "cli/make_trace.h"
#include "cli/program_path.h"
#include "index/execution_difference.h"
#include "recording/place.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string good;
  std::string bad;
  uint64_t limit = 20'000'000;
  size_t most = 20;
  std::string html;
  bool slice = false;
  std::string at;
  bool as_json = false;
};

/// The program and the rest of a command as a shell reads it.
struct ProgramCommand {
  std::string program;
  std::string rest;
};

ProgramCommand split_command(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) throw UserError("an empty command", "write it in quotes: 'prog -v file'");
  const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
  return {text.substr(begin, end - begin), text.substr(end)};
}

BuildResult build(const std::string& program) {
  const Plan plan = points_plan("diff", {.kind = format::PointKind::kPrecise,
                                         .places = PointPlaces::kStatements,
                                         .listed = {},
                                         .report = true,
                                         .values = true});
  const fs::path path = program_path(program);
  Progress progress(fmt::format("build {}", path.filename().string()));
  return build_program({.program = path, .plan = plan, .keep = {}}, progress);
}

struct ReportedRun {
  DiffedRun run;
  PointReport report;
};

ReportedRun run_command(const BuildResult& built, const ProgramCommand& command, const fs::path& place,
                        uint64_t limit) {
  const fs::path points = place / "points", output = place / "output";
  Execution execution{
      .executable = "/bin/sh",
      .words = {"sh", "-c", fmt::format("exec \"$0\"{} > \"$CULPRIT_DIFF_OUTPUT\"", command.rest), built.executable},
      .environment = {}};
  execution.environment[format::kPointsVariable] = points_variable(limit, format::ReportForm::kIds, points);
  execution.environment["CULPRIT_DIFF_OUTPUT"] = output;
  ReportedRun reported{.run = {.end = run_and_wait(execution), .output = {}}, .report = {}};
  if (!fs::exists(points))
    throw UserError(fmt::format("`{}` reported no points", command.program), "does it start at all?");
  reported.report = read_point_report(points);
  if (fs::exists(output)) reported.run.output = read_file(output);
  return reported;
}

/// Leaves out what also differs between two runs of the good command (the time, random numbers), whose difference is
/// `noise`. Returns how much that was.
size_t drop_unstable(ExecutionDifference& difference, const ExecutionDifference& noise, bool one_version) {
  std::set<uint32_t> unstable;
  for (const DifferingStatement& each : noise.statements) unstable.insert(each.statement);
  for (const LoneRegion& each : noise.regions) {
    unstable.insert(each.first_statement);
    if (each.after) unstable.insert(*each.after);
  }
  size_t dropped =
      std::erase_if(difference.statements, [&](const auto& each) { return unstable.contains(each.statement); });
  dropped += std::erase_if(difference.regions, [&](const auto& each) {
    const bool of_good_version = one_version || each.in_left;
    return (of_good_version && unstable.contains(each.first_statement)) ||
           (each.after && unstable.contains(*each.after));
  });
  return dropped;
}

size_t drop_unstable_of_threads(TraceDifference& whole, const TraceDifference& noise, bool one_version) {
  size_t dropped = 0;
  for (ThreadDifference& thread : whole.threads) {
    const auto same = std::ranges::find(noise.threads, thread.left_thread, &ThreadDifference::left_thread);
    if (same != noise.threads.end()) dropped += drop_unstable(thread.difference, same->difference, one_version);
  }
  return dropped;
}

void say_dropped(size_t unstable, const Options& options) {
  if (unstable == 0 || options.as_json) return;
  fmt::print("\n({} differences left out: two good runs differ there, too)\n", unstable);
}

/// A recording, traced.
struct ReplayedRun {
  DiffedRun run;
  trace::TraceFile trace;
};

/// Its standard output and its trace go to `place`, which is made.
ReplayedRun replay_recording(const std::string& name, const fs::path& place) {
  fs::create_directories(place);
  const fs::path output = place / "output";
  const recording::NoStreams nowhere;
  recording::Surroundings streams = nowhere.surroundings();
  streams.output = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (streams.output < 0) throw UserError(fmt::format("cannot write {}", output.string()), "is there room for it?");
  const MadeTrace made = make_trace_of_recording(recording::open_recording(name), place / "trace", streams,
                                                 format::TraceContents::kValues);
  ::close(streams.output);
  return {.run = {.end = made.end, .output = read_file(output)}, .trace = trace::TraceFile(place / "trace")};
}

void write_page(const ExecutionDifference& difference, const DiffedPrograms& programs, const DiffedRun& good,
                const DiffedRun& bad, const Options& options) {
  report::DifferenceView view = difference_view(difference, programs);
  view.good_command = options.good;
  view.bad_command = options.bad;
  view.good_end = end_text(good.end);
  view.bad_end = end_text(bad.end);
  write_file_atomically(options.html, report::to_html(view));
}

bool differs(const ExecutionDifference& difference) {
  return !difference.regions.empty() || !difference.statements.empty();
}

ExitCode show(const TraceDifference& whole, const DiffedPrograms& programs, const DiffedRun& good, const DiffedRun& bad,
              const Options& options) {
  const ExecutionDifference& first = whole.threads.front().difference;
  if (!options.html.empty()) write_page(first, programs, good, bad, options);
  if (options.as_json) {
    json text = diff_json(first, programs, good, bad);
    add_other_threads(text, whole, programs);
    fmt::print("{}\n", text.dump(1));
  } else {
    print_versions(programs, options.most);
    print_runs(good, bad);
    print_difference(first, programs, options.most);
    print_other_threads(whole, programs, options.most);
  }
  bool same = whole.alone[0].empty() && whole.alone[1].empty();
  for (const ThreadDifference& thread : whole.threads) same = same && !differs(thread.difference);
  return same ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

ExitCode show_slice(const trace::TraceFile& good, const trace::TraceFile& bad, std::optional<size_t> first_wrong_byte,
                    const Options& options) {
  const depend::DependenceGraph good_graph = depend::open_graph(good), bad_graph = depend::open_graph(bad);
  const DualSlice slice = dual_slice_of({good, good_graph}, {bad, bad_graph}, options.at, first_wrong_byte);
  if (options.as_json) {
    fmt::print("{}\n", dual_slice_json(slice, good.model()).dump(1));
  } else {
    fmt::print("{}", dual_slice_text(slice, good.model(), options.most));
  }
  return slice.instances.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

/// Says of which files only the statements could be compared.
void say_unknown_texts(const UnionProgram& versions) {
  const std::vector<std::string>& reasons = versions.unknown_texts();
  if (reasons.empty()) return;
  constexpr size_t kMost = 3;
  fmt::print(stderr, "culprit: of {} source file{} the lines were not compared, only the statements:\n", reasons.size(),
             reasons.size() == 1 ? "" : "s");
  for (size_t each = 0; each < std::min(kMost, reasons.size()); ++each) fmt::print(stderr, "  {}\n", reasons[each]);
  if (reasons.size() > kMost) fmt::print(stderr, "  … {} more\n", reasons.size() - kMost);
}

/// `again`: the good run once more, or null.
ExitCode compare_replays(const ReplayedRun& good, const ReplayedRun& bad, const ReplayedRun* again,
                         const Options& options) {
  const bool one_version = good.trace.executable() == bad.trace.executable();
  if (options.slice) {
    if (!one_version) {
      throw UserError("the recordings are of two versions, a dual slice is of one",
                      "record both runs with one version; without --slice, diff aligns two versions");
    }
    return show_slice(good.trace, bad.trace, first_difference(good.run.output, bad.run.output), options);
  }
  std::optional<UnionProgram> versions;
  if (!one_version) {
    versions.emplace(good.trace.model(), bad.trace.model());
    say_unknown_texts(*versions);
  }
  TraceDifference whole =
      versions ? compare_traces(good.trace, bad.trace, *versions) : compare_traces(good.trace, bad.trace);
  const size_t unstable =
      again ? drop_unstable_of_threads(whole, compare_traces(good.trace, again->trace), one_version) : 0;
  const ExitCode found =
      show(whole, {good.trace.model(), bad.trace.model(), versions ? &*versions : nullptr}, good.run, bad.run, options);
  say_dropped(unstable, options);
  return found;
}

ExitCode compare_recordings(const Options& options) {
  const TemporaryDirectory place(temporary_place("diff"));
  const ReplayedRun good = replay_recording(options.good, place.path() / "good");
  const ReplayedRun bad = replay_recording(options.bad, place.path() / "bad");
  return compare_replays(good, bad, nullptr, options);
}

/// By a shell, so that the command's redirections hold for the program.
ReplayedRun record_and_replay(const ProgramCommand& command, const fs::path& place) {
  fs::create_directories(place);
  const fs::path directory = place / "recording";
  const std::string self = fs::read_symlink("/proc/self/exe");
  Execution execution{
      .executable = "/bin/sh",
      .words = {"sh", "-c",
                fmt::format("exec \"$0\" record -o \"$CULPRIT_DIFF_RECORDING\" -- \"$1\"{} > /dev/null", command.rest),
                self, command.program},
      .environment = {{"CULPRIT_DIFF_RECORDING", directory}}};
  if (!run_and_wait(execution).succeeded()) {
    throw UserError(fmt::format("`{}{}` could not be recorded", command.program, command.rest),
                    "culprit record -- COMMAND says what is in the way");
  }
  return replay_recording(directory, place);
}

/// Two programs are two versions; each run is recorded.
ExitCode compare_commands_of_versions(const ProgramCommand& good, const ProgramCommand& bad, const Options& options) {
  const TemporaryDirectory place(temporary_place("diff"));
  const ReplayedRun first = record_and_replay(good, place.path() / "good");
  // In another second, so that what comes from the time differs.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const ReplayedRun again = record_and_replay(good, place.path() / "again");
  return compare_replays(first, record_and_replay(bad, place.path() / "bad"), &again, options);
}

ExitCode run(const Options& options) {
  if (recording::recording_named(options.good) && recording::recording_named(options.bad))
    return compare_recordings(options);
  if (options.slice || !options.at.empty()) {
    throw UserError("a dual slice is made of two recordings",
                    "culprit record both runs, then culprit diff --slice GOOD BAD with the recordings' names");
  }
  const ProgramCommand good_command = split_command(options.good), bad_command = split_command(options.bad);
  if (program_path(good_command.program) != program_path(bad_command.program)) {
    return compare_commands_of_versions(good_command, bad_command, options);
  }
  // One executable for both, so that they can be compared.
  const BuildResult built = build(good_command.program);
  const TemporaryDirectory place(temporary_place("diff"));
  for (const char* name : {"good", "again", "bad"}) fs::create_directories(place.path() / name);
  // Where the system allows it, all runs have the same addresses.
  ::personality(ADDR_NO_RANDOMIZE);
  const ReportedRun good = run_command(built, good_command, place.path() / "good", options.limit);
  // In another second, so that what comes from the time differs.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const ReportedRun again = run_command(built, good_command, place.path() / "again", options.limit);
  const ReportedRun bad = run_command(built, bad_command, place.path() / "bad", options.limit);
  // Align them.
  const auto model = program::ProgramModel::open(built.model);
  ExecutionDifference difference = compare_executions(good.report, bad.report, model);
  if (good.report.ids.size() >= options.limit || bad.report.ids.size() >= options.limit) {
    // Where the report ends, no run does.
    difference.last_common.reset();
    fmt::print(
        stderr,
        "culprit: the runs are longer than the {} points that were compared; --limit compares more, recordings of "
        "both are compared whole\n",
        options.limit);
  }
  const size_t unstable = drop_unstable(difference, compare_executions(good.report, again.report, model), true);
  TraceDifference whole;
  whole.threads.push_back(
      {.created_by = program::kNone, .left_thread = 0, .right_thread = 0, .difference = std::move(difference)});
  const ExitCode found = show(whole, {model, model}, good.run, bad.run, options);
  say_dropped(unstable, options);
  return found;
}

const Registration kRegistration{Command{
    .name = "diff",
    .summary = "Show where two runs of a program part, and which values differ",
    .description =
        "Builds the program of both commands so that it reports every statement with its precise execution-point id,\n"
        "runs both, and aligns them: points correspond when they are the same place of the program with all calls\n"
        "inlined and all loops unrolled. Shows where control parts first, what only one run executes, and which\n"
        "statements write or branch on other values at corresponding points, in order of execution. Addresses are not\n"
        "compared, and what differs between two runs of the good command is left out. Both commands are given to a\n"
        "shell; only the main thread's order is compared. Two recordings are replayed instead; then points are\n"
        "beginnings of blocks, values those that statements store or native functions return, and threads are "
        "compared\n"
        "that were created at the same point of both.\n"
        "Runs of two versions of a program are aligned through a diff of their sources, which are read where each was\n"
        "compiled: keep the versions in two folders. Functions correspond by name, statements by their lines and "
        "kinds;\n"
        "points are statements then. It also shows which functions differ, and marks what is changed. Commands of two\n"
        "programs are recorded for it.\n"
        "With --slice, of two recordings of one version, their dual slice: what a place depends on in both, without "
        "what\n"
        "has the same value in both, and what one of them alone depends on.",
    .examples = {{"culprit diff './prog good.txt' './prog bad.txt'", "what the bad input changes"},
                 {"culprit diff --json './prog < good' './prog < bad'", "the same for machines"},
                 {"culprit diff good.rec bad.rec", "where two recorded runs part, and which values differ"},
                 {"culprit diff './old/prog in' './new/prog in'", "where the new version does something else"},
                 {"culprit diff --slice good.rec bad.rec", "what the first wrong byte of the output comes from"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("good", options->good, "a command in quotes, or the name of a recording")->required();
      app.add_option("bad", options->bad, "another one of the same program or another version")->required();
      app.add_option("--limit", options->limit,
                     "of commands of one program: look at most at so many points of each run")
          ->capture_default_str();
      app.add_option("--most", options->most, "print at most so many functions, regions and statements")
          ->capture_default_str();
      app.add_option("--html", options->html, "also write a page with both runs side by side");
      app.add_flag("--slice", options->slice,
                   "of two recordings: why they differ at --at, else at the first other byte of the output or the end");
      app.add_option("--at", options->at, "FILE:LINE[#INSTANCE], or stdout:N or stderr:N, for --slice");
      app.add_flag("--json", options->as_json, "for machines");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
