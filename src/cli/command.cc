#include "cli/command.h"

#include <algorithm>

namespace culprit::cli {
namespace {

std::vector<Command>& registry() {
  static std::vector<Command> all;
  return all;
}

}  // namespace

const std::vector<Command>& commands() {
  return registry();
}

Registration::Registration(Command command) {
  CULPRIT_ASSERT(!command.examples.empty(), command.name);
  auto& all = registry();
  const auto at = std::lower_bound(all.begin(), all.end(), command.name,
                                   [](const Command& each, const std::string& name) { return each.name < name; });
  all.insert(at, std::move(command));
}

void add_recording_option(CLI::App& app, std::string& name) {
  app.add_option("recording", name, "A directory, or a name that `culprit ls` shows; default: the latest");
}

}  // namespace culprit::cli
