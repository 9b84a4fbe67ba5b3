#include "cli/application.h"

#include <fmt/format.h>

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

}  // namespace

std::unique_ptr<Application> make_application() {
  auto application = std::make_unique<Application>();
  CLI::App& app = application->app;
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("culprit ") + CULPRIT_VERSION);
  app.footer("Compile with culprit-cc / culprit-c++ first. `culprit COMMAND --help` shows examples.");
  for (const Command& command : commands()) {
    CLI::App* sub = subcommand(app, command.name, command.summary);
    sub->description(command.summary + "\n\n" + command.description);
    sub->footer(examples_text(command));
    application->actions.emplace_back(sub, command.configure(*sub));
  }
  return application;
}

}  // namespace culprit::cli
