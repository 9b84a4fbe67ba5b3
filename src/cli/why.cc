#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/file.h"
#include "base/progress.h"
#include "base/shell_command.h"
#include "build/builder.h"
#include "build/plan.h"
#include "cli/command.h"
#include "cli/crashed_child.h"
#include "cli/program_path.h"
#include "cli/session_program.h"
#include "locate/explain.h"
#include "locate/first_look.h"
#include "locate/user_predicate.h"
#include "recording/place.h"
#include "report/html.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/text.h"

namespace culprit::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string expect;
  std::string expect_command;
  std::string fails_if;
  std::string html;
  std::string sarif;
  int expect_exit = -1;
  double timeout = 10;
  double budget = 0;
  uint32_t tries = 0;
  bool no_trace = false;
  bool json = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// A command line that a shell takes apart into `words` again.
std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./,:@%^") == std::string::npos;
    std::string quoted;
    for (const char each : word) quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return line;
}

/// What a reference command prints for the same standard input.
std::string expected_from(const std::string& command, const std::filesystem::path& input) {
  CommandResult good = run_shell(command, input);
  if (good.end.signal != 0 || good.end.exit_status != 0) {
    throw UserError(
        fmt::format("the command of --expect-cmd ended with {} {}: {}", good.end.signal != 0 ? "signal" : "exit status",
                    good.end.signal != 0 ? good.end.signal : good.end.exit_status, command),
        "give a command that prints what a good run prints and succeeds");
  }
  return std::move(good.output);
}

Expectation expectation_of(const Options& options, const std::filesystem::path& input) {
  Expectation expectation;
  if (!options.expect.empty()) expectation.output = read_file(options.expect);
  if (!options.expect_command.empty()) expectation.output = expected_from(options.expect_command, input);
  if (!options.fails_if.empty()) expectation.fails_if = std::make_shared<UserPredicate>(options.fails_if);
  if (options.expect_exit >= 0) expectation.exit_status = options.expect_exit;
  return expectation;
}

constexpr uint32_t kTries = 5000;
constexpr std::chrono::milliseconds kTriesAfterPass{2'000}, kFirstLook{1'000};
constexpr int kSlowdown = 60;  // of the plans for sessions at the most; what is no hang of the program is none in them

/// Whether the first run, which is recorded, fails, or it is not known. Looked at before more is built, for who forgot
/// to tell what is expected.
/// The run stays in `first` either way.
bool fails_at_once(const Options& options, const StandardInput& input, const auto& build, ExplainRequest& request,
                   std::optional<FirstRun>& first) {
  const Launch launch{.executable = program_path(options.command.front()),
                      .arguments = options.command,
                      .standard_input = input.path()};
  const BuildResult fast = build(launch.executable, "fast");
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
  first = record_first_run(launch, {.executable = fast.executable, .key = fast.key}, limit);
  if (first) request.time_limit = std::max(limit, kSlowdown * first->took);
  if (!first) return look_first(launch, request.expectation, kFirstLook) != FirstLook::kPasses;
  if (!recognise_end(first->end, request.expectation)) return false;
  request.first_run = first;
  return true;
}

/// What crashed is a process that the run forked: its own recording is explained. Of a run that is as expected, its
/// children are nobody's business.
std::optional<std::filesystem::path> child_to_explain(const Options& options, const std::optional<FirstRun>& first,
                                                      bool fails) {
  const bool is_expected = !fails && (!options.expect.empty() || !options.expect_command.empty() ||
                                      !options.fails_if.empty() || options.expect_exit >= 0);
  return first && !is_expected ? crashed_child(*first) : std::nullopt;
}

ExitCode run(const Options& options) {
  Progress progress("why");
  const StandardInput input;
  ExplainRequest request;
  request.expectation = expectation_of(options, input.path());
  request.tries = options.tries == 0 ? kTries : options.tries;
  request.time_limit = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
  const auto build_of = [&](const std::filesystem::path& program, const char* name) {
    Plan plan = load_plan(name);
    plan.fast_bodies = true;
    return build_program({.program = program, .plan = std::move(plan), .keep = {}}, progress);
  };
  std::optional<FirstRun> first;
  const bool is_program = !recording::recording_named(options.command.front());
  const bool fails = !is_program || fails_at_once(options, input, build_of, request, first);
  const std::optional<std::filesystem::path> child = child_to_explain(options, first, fails);
  if (child) {
    request.first_run.reset();
    request.expectation = {};
  } else if (!fails) {
    std::cerr << "why: The program did not fail when it was run as it is. It is rebuilt, and run again in case it "
                 "fails then, or "
                 "now and then.\n     If its output is wrong: --expect FILE\n";
    if (options.tries == 0) request.try_time = kTriesAfterPass;
  }
  auto [launch, model] = session_program(options.command, input, progress);
  if (child)
    launch.recording = std::make_shared<const recording::Recording>(recording::open_recording(child->string()));
  const auto& recorded = launch.recording;
  const std::filesystem::path program =
      recorded ? std::filesystem::path(recorded->manifest.program) : program_path(options.command.front());
  if (recorded && recorded->manifest.state != recording::State::kFinished) {
    throw UserError(
        fmt::format("the recording {} ends before its program did, so no failure is in it", options.command.front()),
        "record the run again");
  }
  const auto build = [&](const char* name) { return build_of(program, name); };
  request.launch = launch;
  if (!options.no_trace) {
    request.traced = [&] {
      const BuildResult traced = build("values");
      return TracedProgram{.executable = traced.executable, .model = traced.model};
    };
  }
  if (!recorded) {
    request.recordable = [&] {
      const BuildResult fast = build("fast");
      return RecordableProgram{.executable = fast.executable, .key = fast.key};
    };
  }
  request.alterable = [&] { return build("alterable").executable; };
  request.command = joined(launch.arguments);
  if (!recorded) request.own_program = program;
  if (recorded) request.recording = child ? name_for_child(*child) : options.command.front();
  if (options.budget > 0)
    request.switching.time = std::chrono::milliseconds(static_cast<int64_t>(options.budget * 1000));
  request.stretches = options.budget == 0;

  // An interrupt ends the search; what is known so far is shown.
  std::signal(SIGINT, [](int) { interrupted = 1; });
  report::Explanation explanation =
      explain(request, model, [&progress](const std::string& step, uint64_t done, uint64_t planned) {
        progress.step(planned == 0 ? step : fmt::format("{}: {} of {}", step, done, planned));
        return interrupted == 0;
      });

  if (child) tell_of_child(*first, joined(options.command), explanation);
  if (!options.html.empty()) write_file_atomically(options.html, report::to_html(explanation));
  if (!options.sarif.empty()) {
    write_file_atomically(options.sarif, report::to_sarif(explanation, CULPRIT_VERSION));
  }
  std::cout << (options.json ? report::to_json(explanation)
                             : report::to_text(explanation, {.colour = ::isatty(1) == 1}));
  const bool explained = explanation.failure && !explanation.failure->only_own_program;
  const bool answered = explained || !explanation.findings.empty();
  return answered ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

const Registration kWhy{Command{
    .name = "why",
    .summary = "Explain why a run of a program fails",
    .description =
        "Runs the program, sees how and where it fails, and tries which branches, had they gone the other way, would "
        "have let it succeed. Every such branch is checked by running the program once more. Altered runs touch "
        "nothing outside: files they write are private memory, and they can start no process and open no "
        "connection. The failing run is recorded first, so that all this is done to that one run. A "
        "program with threads of which no run fails is recorded under random schedules of them, until one does. Of a "
        "run "
        "that does not fail it is told what it does with memory that no program may do. Where a process crashes that "
        "the program forked, its own run is explained.\n\n"
        "The program must have been compiled with culprit-cc or culprit-c++. It is rebuilt from the bitcode that it "
        "carries; the first time takes about as long as compiling it.",
    .examples = {{"culprit why -- ./prog -v input.txt", "explains a crash, an abort or a failed assertion"},
                 {"culprit why prog-3", "explains the recording prog-3 of `culprit record`"},
                 {"culprit why --expect good.txt -- ./prog input.txt",
                  "explains why the output is not that of good.txt"},
                 {"culprit why --fails-if 'grep -q NaN' -- ./prog input.txt", "explains why NaN appears in the output"},
                 {"culprit why --html why.html --sarif why.sarif -- ./prog", "keeps the explanation for others"},
                 {"culprit why --expect-exit 0 --json -- ./prog", "explains a wrong exit status, as JSON"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          app.add_option("--expect", options->expect, "File with the standard output of a good run")
              ->check(CLI::ExistingFile);
          auto* expect = app.get_option("--expect");
          app.add_option("--expect-cmd", options->expect_command,
                         "Shell command that prints what a good run prints; gets the same standard input")
              ->excludes(expect);
          app.add_option("--fails-if", options->fails_if,
                         "Shell command that exits with 0 when a run has failed: gets the run's standard output as its "
                         "input and CULPRIT_EXIT_STATUS (128 + N after signal N)")
              ->excludes(expect)
              ->excludes("--expect-cmd");
          app.add_option("--expect-exit", options->expect_exit, "Exit status of a good run (0 when not given)")
              ->check(CLI::Range(0, 255));
          app.add_option("--timeout", options->timeout, "Seconds after which the run counts as hanging (10)")
              ->check(CLI::PositiveNumber);
          app.add_option("--tries", options->tries,
                         "Runs to make until one fails, for 10 seconds at most (5000, but for 2 seconds only when the "
                         "first one "
                         "passes)")
              ->check(CLI::Range(1U, 100'000U));
          app.add_option("--budget", options->budget, "Seconds to search (12, of a program that runs long up to 36)")
              ->check(CLI::PositiveNumber);
          app.add_flag("--no-trace", options->no_trace,
                       "Do not trace the run: saves a second rebuild of the program, and does not find out what the "
                       "failure depended on");
          app.add_option("--html", options->html, "Also write the explanation as one HTML file");
          app.add_option("--sarif", options->sarif, "Also write it as SARIF 2.1.0, for editors and code hosting");
          app.add_flag("--json", options->json, "Print JSON");
          app.add_option("command", options->command,
                         "The program and its arguments, after --; or the name of a recording")
              ->required();
          return [options] { return run(*options); };
        },
}};

}  // namespace
}  // namespace culprit::cli
