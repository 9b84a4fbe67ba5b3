#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/progress.h"
#include "build/builder.h"
#include "cli/command.h"
#include "cli/program_path.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string program;
  bool as_json = false;
};

void print_json(const std::vector<SourceLoop>& loops) {
  nlohmann::json all = nlohmann::json::array();
  for (const SourceLoop& loop : loops) {
    nlohmann::json one{{"function", loop.function}, {"file", loop.file}, {"first_line", loop.first_line}, {"last_line", loop.last_line}};
    if (!loop.variable.empty()) one["variable"] = loop.variable;
    all.push_back(std::move(one));
  }
  fmt::print("{}\n", nlohmann::json{{"loops", std::move(all)}}.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

ExitCode dump(const Options& options) {
  const fs::path program = program_path(options.program);
  std::vector<SourceLoop> loops;
  {
    Progress progress(fmt::format("examine {}", program.filename().string()));
    loops = find_source_loops(program, progress);
  }
  if (options.as_json) {
    print_json(loops);
    return ExitCode::kAnswered;
  }
  for (const SourceLoop& loop : loops) {
    fmt::print("{}:{}-{} {}{}\n", loop.file, loop.first_line, loop.last_line, loop.function,
               loop.variable.empty() ? "" : fmt::format(" [{}]", loop.variable));
  }
  const auto ordered = std::ranges::count_if(loops, [](const SourceLoop& loop) { return !loop.variable.empty(); });
  fmt::print("{} loops, {} with a variable that tells iterations apart\n", loops.size(), ordered);
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "dump loops",
    .summary = "List the loops of a program as it was compiled",
    .description = "Prints the natural loops in the units of PROG, those around others first, each with the variable that tells its\n"
                   "iterations apart, if there is one: changed once an iteration by a constant, entered with a constant. In a core\n"
                   "file such variables tell in which iterations a program was (`culprit points --core`).",
    .examples = {{"culprit dump loops ./prog", "file, lines, function and variable of each loop"}},
    .configure = [](CLI::App& app) -> std::function<ExitCode()> {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->program, "a program compiled with culprit-cc, looked up in PATH")->required();
      app.add_flag("--json", options->as_json, "for machines");
      return [options] { return dump(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
