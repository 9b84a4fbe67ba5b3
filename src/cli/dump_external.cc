// `culprit dump external`: the functions outside a program, and whether the table describes what they do.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/open_model.h"
#include "program/external/table.h"
#include "program/external_functions.h"

namespace culprit::cli {
namespace {

using nlohmann::json;
using program::ExternalFunction;

struct Options {
  std::string path;
  bool missing = false;
  bool described = false;
  bool as_json = false;
};

void print_table(const std::vector<ExternalFunction>& functions, bool missing) {
  size_t described = 0;
  size_t calls = 0;
  size_t described_calls = 0;
  for (const ExternalFunction& function : functions) {
    described += function.described ? 1 : 0;
    calls += function.calls;
    described_calls += function.described ? function.calls : 0;
    if (missing && function.described) continue;
    fmt::print("{:<40} {:<12} {:>6} calls{}\n", function.symbol, function.described ? "described" : "unknown",
               function.calls, function.address_taken ? ", address taken" : "");
  }
  fmt::print("{} of {} functions described, {} of {} calls\n", described, functions.size(), described_calls, calls);
}

void print_json(const std::vector<ExternalFunction>& functions, bool missing) {
  json all = json::array();
  for (const ExternalFunction& function : functions) {
    if (missing && function.described) continue;
    all.push_back({{"function", function.symbol},
                   {"described", function.described},
                   {"calls", function.calls},
                   {"address_taken", function.address_taken}});
  }
  fmt::print("{}\n", all.dump(2, ' ', false, json::error_handler_t::replace));
}

/// All functions of the table with their signatures and where they stand.
void print_described(bool as_json) {
  json all = json::array();
  for (const auto& description : program::external::built_in_table().descriptions()) {
    json parameters = json::array();
    json written = json::array();
    std::string text;
    for (size_t index = 0; index < description.parameters.size(); ++index) {
      const auto& parameter = description.parameters[index];
      if ((description.written_parameters >> index & 1) != 0) written.push_back(index);
      parameters.push_back(name_of(parameter.type));
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(parameter.type), parameter.name);
    }
    if (description.variadic) text += text.empty() ? "..." : ", ...";
    const std::string place = fmt::format("{}:{}", description.file, description.line);
    if (as_json) {
      all.push_back({{"function", description.name},
                     {"parameters", parameters},
                     {"writes_at", written},
                     {"variadic", description.variadic},
                     {"result", name_of(description.result)},
                     {"at", place}});
    } else {
      fmt::print("{}({}) -> {}  {}\n", description.name, text, name_of(description.result), place);
    }
  }
  if (as_json) fmt::print("{}\n", all.dump(1));
}

ExitCode run(const Options& options) {
  if (options.described) {
    print_described(options.as_json);
    return ExitCode::kAnswered;
  }
  const program::ProgramModel model = open_model(options.path);
  const std::vector<ExternalFunction> functions = external_functions(model);
  options.as_json ? print_json(functions, options.missing) : print_table(functions, options.missing);
  return functions.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "dump external",
    .summary = "Show which library functions a program uses, and which Culprit knows",
    .description =
        "Dependences pass through functions of libraries without bitcode by a table that says what each of\n"
        "them reads, writes and returns. This lists the functions that the program calls, or whose address\n"
        "it takes, and whether the table describes them. What an unknown function writes is found only when\n"
        "a later read does not agree with the last known write.",
    .examples = {{"culprit dump external ./prog", "lists all, with the number of places that call them"},
                 {"culprit dump external ./prog --missing", "lists those that are not described"},
                 {"culprit dump external --described", "lists all functions that the table describes"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          auto* path =
              app.add_option("PROG_OR_MODEL", options->path, "a program compiled with culprit-cc, or a model file");
          app.add_flag("--described", options->described, "the table's functions instead of a program's")
              ->excludes(path);
          app.add_flag("--missing", options->missing, "only functions that are not described");
          app.add_flag("--json", options->as_json, "for machines");
          return [options] {
            if (options->path.empty() && !options->described) {
              throw UserError("no program is named", "write culprit dump external PROG");
            }
            return run(*options);
          };
        },
}};

}  // namespace
}  // namespace culprit::cli
