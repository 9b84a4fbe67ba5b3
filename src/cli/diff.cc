// `culprit diff`: two executions of a program, aligned.

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

struct Run {
  ProcessEnd end;
  std::string output;
  PointReport report;
};

Run run_command(const BuildResult& built, const ProgramCommand& command, const fs::path& place, uint64_t limit) {
  const fs::path points = place / "points", output = place / "output";
  Execution execution{
      .executable = "/bin/sh",
      .words = {"sh", "-c", fmt::format("exec \"$0\"{} > \"$CULPRIT_DIFF_OUTPUT\"", command.rest), built.executable},
      .environment = {}};
  execution.environment[format::kPointsVariable] = points_variable(limit, format::ReportForm::kIds, points);
  execution.environment["CULPRIT_DIFF_OUTPUT"] = output;
  Run run{.end = run_and_wait(execution), .output = {}, .report = {}};
  if (!fs::exists(points))
    throw UserError(fmt::format("`{}` reported no points", command.program), "does it start at all?");
  run.report = read_point_report(points);
  run.output = fs::exists(output) ? read_file(output) : std::string();
  return run;
}

std::string end_text(const ProcessEnd& end) {
  return end.signal ? fmt::format("signal {}", end.signal) : fmt::format("exit status {}", end.exit_status);
}

/// The first byte in which two outputs differ; nothing when they are equal.
std::optional<size_t> first_difference(const std::string& left, const std::string& right) {
  if (left == right) return std::nullopt;
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<size_t>(at.first - left.begin());
}

/// Where a crash or an early end takes the runs apart for good, which is nearer to the cause than where they first
/// part.
void print_parting(const ExecutionDifference& difference, const program::ProgramModel& model) {
  if (!difference.last_common) return;
  fmt::print("they part for good after {}\n", statement_text(model, *difference.last_common));
  for (const bool in_left : {true, false}) {
    const LoneRegion& tail = difference.tails[in_left];
    if (tail.points == 0) {
      fmt::print("  {:<4} ends there\n", in_left ? "good" : "bad");
    } else {
      fmt::print("  {:<4} {:>8} points more, from {}\n", in_left ? "good" : "bad", tail.points,
                 statement_text(model, tail.first_statement));
    }
  }
}

void print_difference(const ExecutionDifference& difference, const program::ProgramModel& model, size_t most) {
  fmt::print("{} points correspond, {} are in the good run only, {} in the bad one only\n", difference.aligned,
             difference.left_only, difference.right_only);
  if (!difference.regions.empty()) {
    const LoneRegion& first = difference.regions.front();
    if (first.after) fmt::print("control first parts after {}\n", statement_text(model, *first.after));
    print_parting(difference, model);
    fmt::print("\nonly in one run:\n");
    for (size_t each = 0; each < std::min(most, difference.regions.size()); ++each) {
      const LoneRegion& region = difference.regions[each];
      fmt::print("  {:<4} {:>8} points  {} .. {}\n", region.in_left ? "good" : "bad", region.points,
                 statement_text(model, region.first_statement), model.position_text(region.last_statement));
    }
    if (difference.regions.size() > most) fmt::print("  … {} more\n", difference.regions.size() - most);
  }
  if (difference.statements.empty()) return;
  fmt::print("\nother values at corresponding points:\n");
  for (size_t each = 0; each < std::min(most, difference.statements.size()); ++each) {
    const DifferingStatement& statement = difference.statements[each];
    fmt::print("  {}: {} {} instead of {} ({} of {} times)\n", statement_text(model, statement.statement),
               written_name(model, statement.statement), static_cast<int64_t>(statement.right_value),
               static_cast<int64_t>(statement.left_value), statement.instances, statement.of);
  }
  if (difference.statements.size() > most) fmt::print("  … {} more\n", difference.statements.size() - most);
}

void print_text(const ExecutionDifference& difference, const program::ProgramModel& model, const Run& good,
                const Run& bad, size_t most) {
  fmt::print("good: {}, bad: {}\n", end_text(good.end), end_text(bad.end));
  if (const auto at = first_difference(good.output, bad.output)) fmt::print("output differs from byte {} on\n", *at);
  print_difference(difference, model, most);
}

json difference_json(const ExecutionDifference& difference, const program::ProgramModel& model) {
  json whole{{"aligned", difference.aligned},
             {"good_only", difference.left_only},
             {"bad_only", difference.right_only},
             {"regions", json::array()},
             {"values", json::array()}};
  if (difference.last_common) whole["parts_for_good_after"] = model.position_text(*difference.last_common);
  for (const LoneRegion& region : difference.regions) {
    json one{{"run", region.in_left ? "good" : "bad"},
             {"points", region.points},
             {"from", model.position_text(region.first_statement)},
             {"to", model.position_text(region.last_statement)},
             {"function", model.function_name(model.function_of_statement(region.first_statement))}};
    if (region.after) one["after"] = model.position_text(*region.after);
    whole["regions"].push_back(std::move(one));
  }
  for (const DifferingStatement& statement : difference.statements) {
    whole["values"].push_back({{"position", model.position_text(statement.statement)},
                               {"function", model.function_name(model.function_of_statement(statement.statement))},
                               {"writes", written_name(model, statement.statement)},
                               {"good", static_cast<int64_t>(statement.left_value)},
                               {"bad", static_cast<int64_t>(statement.right_value)},
                               {"instances", statement.instances},
                               {"of", statement.of}});
  }
  return whole;
}

json to_json(const ExecutionDifference& difference, const program::ProgramModel& model, const Run& good,
             const Run& bad) {
  const auto end = [](const ProcessEnd& one) { return json{{"exit_status", one.exit_status}, {"signal", one.signal}}; };
  json whole = difference_json(difference, model);
  whole["good"] = end(good.end);
  whole["bad"] = end(bad.end);
  if (const auto at = first_difference(good.output, bad.output)) whole["output_differs_at"] = *at;
  return whole;
}

/// Leaves out what also differs between two runs of one command (the time, random numbers). Returns how much that was.
size_t drop_unstable(ExecutionDifference& difference, const ExecutionDifference& noise) {
  std::set<uint32_t> unstable;
  for (const DifferingStatement& each : noise.statements) unstable.insert(each.statement);
  for (const LoneRegion& each : noise.regions) {
    unstable.insert(each.first_statement);
    if (each.after) unstable.insert(*each.after);
  }
  size_t dropped =
      std::erase_if(difference.statements, [&](const auto& each) { return unstable.contains(each.statement); });
  dropped += std::erase_if(difference.regions, [&](const auto& each) {
    return unstable.contains(each.first_statement) || (each.after && unstable.contains(*each.after));
  });
  return dropped;
}

/// By a traced replay; its standard output goes to a file in `place`.
Run replay_recording(const std::string& name, const fs::path& place, format::TraceContents contents) {
  const fs::path output = place / "output";
  const recording::NoStreams nowhere;
  recording::Surroundings streams = nowhere.surroundings();
  streams.output = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (streams.output < 0) throw UserError(fmt::format("cannot write {}", output.string()), "is there room for it?");
  const MadeTrace made = make_trace_of_recording(recording::open_recording(name), place / "trace", streams, contents);
  ::close(streams.output);
  return {.end = made.end, .output = read_file(output), .report = {}};
}

void write_page(const ExecutionDifference& difference, const program::ProgramModel& model, const Run& good,
                const Run& bad, const Options& options) {
  report::DifferenceView view = difference_view(difference, model);
  view.good_command = options.good;
  view.bad_command = options.bad;
  view.good_end = end_text(good.end);
  view.bad_end = end_text(bad.end);
  write_file_atomically(options.html, report::to_html(view));
}

bool differs(const ExecutionDifference& difference) {
  return !difference.regions.empty() || !difference.statements.empty();
}

ExitCode show(const ExecutionDifference& difference, const program::ProgramModel& model, const Run& good,
              const Run& bad, const Options& options) {
  if (!options.html.empty()) write_page(difference, model, good, bad, options);
  if (options.as_json) {
    fmt::print("{}\n", to_json(difference, model, good, bad).dump(1));
  } else {
    print_text(difference, model, good, bad, options.most);
  }
  return differs(difference) ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

/// Threads other than the first.
void print_thread(const ThreadDifference& thread, const program::ProgramModel& model, size_t most) {
  fmt::print("\nthread {} ({} in the bad run), created at {}\n", thread.left_thread, thread.right_thread,
             statement_text(model, thread.created_by));
  print_difference(thread.difference, model, most);
}

std::string creator_text(const program::ProgramModel& model, uint32_t statement) {
  return statement == program::kNone ? "a place that is not known" : statement_text(model, statement);
}

ExitCode show_traces(const TraceDifference& whole, const program::ProgramModel& model, const Run& good, const Run& bad,
                     const Options& options) {
  const ExecutionDifference& first = whole.threads.front().difference;
  bool same = !differs(first) && whole.alone[0].empty() && whole.alone[1].empty();
  for (const ThreadDifference& thread : whole.threads) same = same && !differs(thread.difference);
  if (!options.html.empty()) write_page(first, model, good, bad, options);
  if (options.as_json) {
    json text = to_json(first, model, good, bad);
    for (size_t each = 1; each < whole.threads.size(); ++each) {
      const ThreadDifference& thread = whole.threads[each];
      json one = difference_json(thread.difference, model);
      one["created_at"] = model.position_text(thread.created_by);
      one["good_thread"] = thread.left_thread;
      one["bad_thread"] = thread.right_thread;
      text["threads"].push_back(std::move(one));
    }
    for (const bool in_good : {true, false}) {
      for (const uint32_t statement : whole.alone[in_good]) {
        text["threads_of_one_run"].push_back(
            {{"run", in_good ? "good" : "bad"}, {"created_at", creator_text(model, statement)}});
      }
    }
    fmt::print("{}\n", text.dump(1));
  } else {
    print_text(first, model, good, bad, options.most);
    for (size_t each = 1; each < whole.threads.size(); ++each) print_thread(whole.threads[each], model, options.most);
    for (const bool in_good : {true, false}) {
      for (const uint32_t statement : whole.alone[in_good]) {
        fmt::print("\na thread of the {} run only, created at {}\n", in_good ? "good" : "bad", creator_text(model, statement));
      }
    }
  }
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

ExitCode compare_recordings(const Options& options) {
  const TemporaryDirectory place(temporary_place("diff"));
  for (const char* name : {"good", "bad"}) fs::create_directories(place.path() / name);
  constexpr auto contents = format::TraceContents::kValues;
  const Run good = replay_recording(options.good, place.path() / "good", contents);
  const Run bad = replay_recording(options.bad, place.path() / "bad", contents);
  const trace::TraceFile good_trace(place.path() / "good" / "trace"), bad_trace(place.path() / "bad" / "trace");
  if (good_trace.executable() != bad_trace.executable()) {
    throw UserError("the recordings are of different programs", "give two recordings of one program");
  }
  if (options.slice) return show_slice(good_trace, bad_trace, first_difference(good.output, bad.output), options);
  return show_traces(compare_traces(good_trace, bad_trace), good_trace.model(), good, bad, options);
}

ExitCode run(const Options& options) {
  if (recording::recording_named(options.good) && recording::recording_named(options.bad))
    return compare_recordings(options);
  if (options.slice || !options.at.empty()) {
    throw UserError("a dual slice is made of two recordings",
                    "culprit record both runs, then culprit diff --slice GOOD BAD with the recordings' names");
  }
  // One executable for both, so that they can be compared.
  const ProgramCommand good_command = split_command(options.good), bad_command = split_command(options.bad);
  if (program_path(good_command.program) != program_path(bad_command.program)) {
    throw UserError("the commands run different programs", "give two commands of one program");
  }
  const BuildResult built = build(good_command.program);
  const TemporaryDirectory place(temporary_place("diff"));
  for (const char* name : {"good", "again", "bad"}) fs::create_directories(place.path() / name);
  // Where the system allows it, all runs have the same addresses.
  ::personality(ADDR_NO_RANDOMIZE);
  const Run good = run_command(built, good_command, place.path() / "good", options.limit);
  // In another second, so that what comes from the time differs.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const Run again = run_command(built, good_command, place.path() / "again", options.limit);
  const Run bad = run_command(built, bad_command, place.path() / "bad", options.limit);
  // Align them.
  const auto model = program::ProgramModel::open(built.model);
  ExecutionDifference difference = compare_executions(good.report, bad.report, model);
  if (good.report.ids.size() >= options.limit || bad.report.ids.size() >= options.limit) {
    // Where the report ends, no run does.
    difference.last_common.reset();
    fmt::print(stderr, "culprit: the runs are longer than the {} points that were compared; --limit compares more, recordings of "
               "both are compared whole\n", options.limit);
  }
  const size_t unstable = drop_unstable(difference, compare_executions(good.report, again.report, model));
  const ExitCode found = show(difference, model, good, bad, options);
  if (unstable > 0 && !options.as_json) {
    fmt::print("\n({} differences left out: two good runs differ there, too)\n", unstable);
  }
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
        "beginnings of blocks, values those that statements store or native functions return, and threads are compared\n"
        "that were created at the same point of both. With --slice, their\n"
        "dual slice: what a place depends on in both, without what has the same value in both, and what one of them\n"
        "alone depends on.",
    .examples = {{"culprit diff './prog good.txt' './prog bad.txt'", "what the bad input changes"},
                 {"culprit diff --json './prog < good' './prog < bad'", "the same for machines"},
                 {"culprit diff good.rec bad.rec", "where two recorded runs part, and which values differ"},
                 {"culprit diff --slice good.rec bad.rec", "what the first wrong byte of the output comes from"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("good", options->good, "a command in quotes, or the name of a recording")->required();
      app.add_option("bad", options->bad, "another one of the same program")->required();
      app.add_option("--limit", options->limit, "look at most at so many points of each run")->capture_default_str();
      app.add_option("--most", options->most, "print at most so many regions and statements")->capture_default_str();
      app.add_option("--html", options->html, "also write a page with both runs side by side");
      app.add_flag("--slice", options->slice,
                   "of two recordings: why they differ at --at, else at the first other byte of the output or the end");
      app.add_option("--at", options->at, "FILE:LINE[#INSTANCE], or stdout:N or stderr:N, for --slice");
      app.add_flag("--json", options->as_json, "for machines");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
