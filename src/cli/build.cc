// `culprit build`: a program and a plan become an instrumented executable.

#include "build/builder.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/program_path.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string program;
  std::string plan = "fast";
  std::string output;
  std::string keep;
  bool json = false;
};

nlohmann::json json_of(const BuildResult& result, const std::string& executable) {
  nlohmann::json json = nlohmann::json::parse(to_json(result.report));
  json.erase("objects");
  json["executable"] = executable;
  json["model"] = result.model.string();
  json["key"] = result.key;
  json["from_cache"] = result.from_cache;
  json["seconds"] = result.seconds;
  return json;
}

void print_functions(const std::string& what, const std::vector<FunctionApart>& functions) {
  if (functions.empty()) return;
  fmt::print("{}: {} functions\n", what, functions.size());
  for (const FunctionApart& each : functions) fmt::print("  {}: {}\n", each.name, each.reason);
}

void print_text(const BuildResult& result, const std::string& executable) {
  const CompileReport& report = result.report;
  fmt::print("{}\n", executable);
  fmt::print("{} units, {} of them native; {} KiB of code; {:.2f} s{}\n", report.units, report.native_units.size(),
             report.code_bytes / 1024, result.seconds, result.from_cache ? " (from the cache)" : "");
  for (const NativeUnit& unit : report.native_units) fmt::print("native: {}: {}\n", unit.name, unit.reason);
  print_functions("native", report.native_functions);
  print_functions("without an observed body", report.single_body_functions);
}

ExitCode run(const Options& options) {
  const fs::path program = program_path(options.program);
  const Plan plan = load_plan(options.plan);
  BuildResult result;
  {
    Progress progress(fmt::format("build {}", program.filename().string()));
    result = build_program({.program = program, .plan = plan, .keep = options.keep}, progress);
  }
  std::string executable = result.executable;
  if (!options.output.empty()) {
    fs::remove(options.output);  // it may be running
    fs::copy_file(result.executable, options.output);
    executable = options.output;
  }
  if (options.json) {
    fmt::print("{}\n", json_of(result, executable).dump(1));
  } else {
    print_text(result, executable);
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "build",
    .summary = "Build an instrumented executable from the bitcode that a program carries",
    .description =
        "PROG was compiled with culprit-cc. Its units are merged, instrumented by the plan, compiled and linked\n"
        "again. The result is kept in a cache (see `culprit cache`), so that the same build is instant next time.\n"
        "Units that cannot be merged are compiled as they are and named.",
    .examples = {{"culprit build ./prog", "builds fast bodies and prints where the executable is"},
                 {"culprit build ./prog --plan registers -o prog.observed", "with observed bodies, copied to a file"},
                 {"culprit build ./prog --keep work --json", "keeps objects and messages in work/, prints a report"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->program, "a program compiled with culprit-cc; looked up in PATH")->required();
      app.add_option("--plan", options->plan, "fast, registers, homes, or a TOML file")->capture_default_str();
      app.add_option("-o,--output", options->output, "also copy the executable here");
      app.add_option("--keep", options->keep, "build again and keep what the steps leave in this folder");
      app.add_flag("--json", options->json, "print the report as JSON");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
