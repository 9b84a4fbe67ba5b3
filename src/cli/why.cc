#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/file.h"
#include "base/progress.h"
#include "build/builder.h"
#include "build/plan.h"
#include "cli/command.h"
#include "cli/program_path.h"
#include "locate/explain.h"
#include "report/json.h"
#include "report/text.h"

namespace culprit::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string expect;
  int expect_exit = -1;
  double timeout = 10;
  double budget = 12;
  bool json = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// Standard input as a regular file, so that every run reads it from its start: what is not one is copied first.
class StandardInput {
 public:
  StandardInput() {
    if (::isatty(0)) return;
    std::error_code error;
    const auto target = std::filesystem::read_symlink("/proc/self/fd/0", error);
    if (!error && std::filesystem::is_regular_file(target, error)) {
      path_ = target;
      return;
    }
    std::string name = std::filesystem::temp_directory_path() / "culprit-stdin-XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) throw UserError("cannot keep the standard input in " + name, "free some space, or set TMPDIR");
    path_ = name;
    temporary_ = true;
    std::string buffer(1 << 16, '\0');
    for (ssize_t got; (got = ::read(0, buffer.data(), buffer.size())) > 0;) {
      if (::write(descriptor, buffer.data(), static_cast<size_t>(got)) != got) {
        ::close(descriptor);
        throw UserError("cannot keep the standard input in " + name, "free some space, or set TMPDIR");
      }
    }
    ::close(descriptor);
  }
  ~StandardInput() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove(path_, ignored);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = "/dev/null";
  bool temporary_ = false;
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

ExitCode run(const Options& options) {
  // Rebuild the program for sessions, or take it from the cache.
  Progress progress("why");
  const BuildResult built = build_program(
      {.program = program_path(options.command.front()), .plan = load_plan("session"), .keep = {}}, progress);
  const StandardInput input;
  ExplainRequest request;
  request.launch = {.executable = built.executable, .arguments = options.command, .standard_input = input.path()};
  request.command = joined(options.command);
  if (!options.expect.empty()) request.expectation.output = read_file(options.expect);
  if (options.expect_exit >= 0) request.expectation.exit_status = options.expect_exit;
  request.time_limit = std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));
  request.switching.time = std::chrono::milliseconds(static_cast<int64_t>(options.budget * 1000));

  if (built.model.empty()) throw UserError("this build has no program model", "clear the cache: culprit cache --clear");

  const program::ProgramModel model = program::ProgramModel::open(built.model);

  // An interrupt ends the search; what is known so far is shown.
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const report::Explanation explanation =
      explain(request, model, [&progress](const std::string& step, uint64_t done, uint64_t planned) {
        progress.step(planned == 0 ? step : fmt::format("{}: {} of {}", step, done, planned));
        return interrupted == 0;
      });

  std::cout << (options.json ? report::to_json(explanation)
                             : report::to_text(explanation, {.colour = ::isatty(1) == 1}));
  return explanation.failure ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

const Registration kWhy{Command{
    .name = "why",
    .summary = "Explain why a run of a program fails",
    .description =
        "Runs the program, sees how and where it fails, and tries which branches, had they gone the other way, would "
        "have let it succeed. Every such branch is checked by running the program once more. Altered runs touch "
        "nothing outside: files they write are private memory, and they can start no process and open no "
        "connection.\n\n"
        "The program must have been compiled with culprit-cc or culprit-c++. It is rebuilt from the bitcode that it "
        "carries; the first time takes about as long as compiling it.",
    .examples = {{"culprit why -- ./prog -v input.txt", "explains a crash, an abort or a failed assertion"},
                 {"culprit why --expect good.txt -- ./prog input.txt",
                  "explains why the output is not that of good.txt"},
                 {"culprit why --expect-exit 0 --json -- ./prog", "explains a wrong exit status, as JSON"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          app.add_option("--expect", options->expect, "File with the standard output of a good run")
              ->check(CLI::ExistingFile);
          app.add_option("--expect-exit", options->expect_exit, "Exit status of a good run (0 when not given)")
              ->check(CLI::Range(0, 255));
          app.add_option("--timeout", options->timeout, "Seconds after which the run counts as hanging (10)")
              ->check(CLI::PositiveNumber);
          app.add_option("--budget", options->budget, "Seconds to search (12)")->check(CLI::PositiveNumber);
          app.add_flag("--json", options->json, "Print JSON");
          app.add_option("command", options->command, "The program and its arguments, after --")->required();
          return [options] { return run(*options); };
        },
}};

}  // namespace
}  // namespace culprit::cli
