// The `culprit` command: parses the command line, runs one subcommand, turns errors into messages and exit codes.

#include <fmt/format.h>
#include <signal.h>

#include <exception>
#include <map>

#include "base/interrupt.h"
#include "cli/command.h"

namespace culprit::cli {
namespace {

std::string examples_text(const Command& command) {
  std::string text = "Examples:\n";
  for (const Example& example : command.examples)
    text += fmt::format("  $ {}\n      {}\n", example.command, example.says);
  text += "\nExit status: 0 answered, 1 nothing found, 2 bad usage or input, 3 the environment lacks something\n";
  return text;
}

/// The CLI11 app of `words` ("dump capture"), whose parents are made on the way.
CLI::App* subcommand(CLI::App& root, const std::string& words, const std::string& description) {
  const auto space = words.find(' ');
  if (space == std::string::npos) return root.add_subcommand(words, description);
  const std::string group = words.substr(0, space);
  const auto known = root.get_subcommands([&group](CLI::App* each) { return each->get_name() == group; });
  CLI::App* parent = known.empty() ? nullptr : known.front();
  if (!parent)
    parent = root.add_subcommand(group, fmt::format("See `culprit {} --help`", group))->require_subcommand(1);
  return subcommand(*parent, words.substr(space + 1), description);
}

ExitCode run(int argc, char** argv) {
  CLI::App app{"Culprit explains why C and C++ programs fail.", "culprit"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("culprit ") + CULPRIT_VERSION);
  app.footer("Compile with culprit-cc / culprit-c++ first. `culprit COMMAND --help` shows examples.");

  std::vector<std::pair<CLI::App*, std::function<ExitCode()>>> actions;
  for (const Command& command : commands()) {
    CLI::App* sub = subcommand(app, command.name, command.summary);
    sub->description(command.summary + "\n\n" + command.description);
    sub->footer(examples_text(command));
    actions.emplace_back(sub, command.configure(*sub));
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return asked_for ? ExitCode::kAnswered : ExitCode::kBadUsage;
  }
  for (const auto& [sub, action] : actions) {
    if (sub->parsed()) return action();
  }
  return ExitCode::kBadUsage;
}

}  // namespace
}  // namespace culprit::cli

int main(int argc, char** argv) {
  using culprit::ExitCode;
  try {
    return static_cast<int>(culprit::cli::run(argc, argv));
  } catch (const culprit::UserError& error) {
    fmt::print(stderr, "culprit: {}\n", error.what());
    if (!error.remedy().empty()) fmt::print(stderr, "culprit: remedy: {}\n", error.remedy());
    return static_cast<int>(error.code());
  } catch (const culprit::Interrupted& interrupted) {
    ::signal(interrupted.signal(), SIG_DFL);
    ::raise(interrupted.signal());
    return 128 + interrupted.signal();
  } catch (const culprit::CorruptData& error) {
    fmt::print(stderr, "culprit: damaged file: {}\n", error.what());
    return static_cast<int>(ExitCode::kBadUsage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "culprit: {}\n", error.what());
    return static_cast<int>(ExitCode::kBadUsage);
  }
}
