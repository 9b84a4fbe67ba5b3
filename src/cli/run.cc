// `culprit run`: runs a program inside Culprit, indistinguishable from the original.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "build/builder.h"
#include "build/cache.h"
#include "cli/command.h"
#include "cli/execution.h"
#include "cli/program_path.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

/// Where the runtime writes its counts when the program ends.
constexpr const char* kCountsVariable = "CULPRIT_COUNTS";

struct Options {
  std::string program;
  std::vector<std::string> arguments;
  std::string observe;
  std::string plan;
  std::string json;
};

std::string plan_name(const Options& options) {
  if (!options.observe.empty() && !options.plan.empty()) {
    throw UserError("both --observe and --plan are given", "--observe is short for --plan registers; give one of them");
  }
  if (!options.observe.empty()) return options.observe;
  return options.plan.empty() ? "fast" : options.plan;
}

BuildResult build(const Options& options, const Plan& plan) {
  const fs::path program = program_path(options.program);
  Progress progress(fmt::format("build {}", program.filename().string()));
  return build_program({.program = program, .plan = plan, .keep = {}}, progress);
}

/// One line about the counts, or nothing when the program left none (it was killed, or it called _exit).
std::string summary_of(const std::string& counts) {
  if (counts.empty()) return "culprit: the program left no counts (it did not end by exit)";
  const nlohmann::json json = nlohmann::json::parse(counts, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "culprit: the counts are damaged: " + counts;
  std::string line = "culprit:";
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) line += fmt::format(" {}={}", name, value.get<uint64_t>());
  }
  return line;
}

ExitCode run(const Options& options) {
  const Plan plan = load_plan(plan_name(options));
  const BuildResult result = build(options, plan);
  Execution execution{.executable = result.executable, .words = {options.program}, .environment = {}};
  execution.words.insert(execution.words.end(), options.arguments.begin(), options.arguments.end());
  if (plan.hooks != Hooks::kCounts && options.json.empty()) become(execution);

  const TemporaryDirectory counts(temporary_place("run"));
  const fs::path counts_file = counts.path() / "counts.json";
  execution.environment[kCountsVariable] = counts_file;
  const ProcessEnd end = run_and_wait(execution);
  const std::string text = fs::exists(counts_file) ? read_file(counts_file) : std::string();
  if (options.json.empty()) {
    fmt::print(stderr, "{}\n", summary_of(text));
  } else {
    nlohmann::json json{{"executable", result.executable.string()},
                        {"from_cache", result.from_cache},
                        {"build_seconds", result.seconds},
                        {"exit_status", end.exit_status},
                        {"signal", end.signal}};
    json["counts"] = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json["counts"].is_discarded()) json["counts"] = nullptr;
    write_file_atomically(options.json, json.dump(1) + "\n");
  }
  std::error_code ignored;
  fs::remove_all(counts.path(), ignored);  // end_like does not return
  end_like(end);
}

const Registration kRegistration{Command{
    .name = "run",
    .summary = "Run a program inside Culprit",
    .description =
        "Builds PROG by the plan when that was not done before, then runs it: same arguments, same standard streams,\n"
        "same exit status, and ended by the same signal. With --observe the observed bodies run and count\n"
        "what they do; one line of counts follows on standard error.",
    .examples = {{"culprit run ./prog -- -v file", "runs the fast bodies"},
                 {"culprit run --observe ./prog -- file", "runs the observed bodies, variables in registers"},
                 {"culprit run --observe=homes --json counts.json ./prog", "variables in memory; the counts as JSON"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->program, "a program compiled with culprit-cc; looked up in PATH")->required();
      app.add_option("arguments", options->arguments, "the program's arguments, after --");
      app.add_flag("--observe{registers}", options->observe, "observed bodies: registers (default) or homes");
      app.add_option("--plan", options->plan, "fast, registers, homes, or a TOML file");
      app.add_option("--json", options->json, "write how the program ended, and the counts, to this file");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
