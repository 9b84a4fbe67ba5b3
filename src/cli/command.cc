#include "cli/command.h"

#include <algorithm>

namespace culprit::cli {
namespace {

std::vector<Command>& registry() {
  static std::vector<Command> all;
  return all;
}

}  // namespace

const std::vector<Command>& commands() { return registry(); }

Registration::Registration(Command command) {
  CULPRIT_ASSERT(!command.examples.empty(), command.name);
  auto& all = registry();
  const auto at = std::lower_bound(all.begin(), all.end(), command.name,
                                   [](const Command& each, const std::string& name) { return each.name < name; });
  all.insert(at, std::move(command));
}

}  // namespace culprit::cli
