#include "locate/user_predicate.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/shell_command.h"

namespace culprit {
namespace {

constexpr int kNotExecutable = 126;  // by POSIX, of the shell
constexpr int kNotFound = 127;
constexpr int kSignalled = 128;

}  // namespace

bool UserPredicate::fails(std::string_view output, int wait_status) {
  const int status = WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  std::string key = fmt::format("{} {}", status, output);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const CommandResult answer = run_shell(command_, output, {{"CULPRIT_EXIT_STATUS", std::to_string(status)}});
  if (answer.end.exit_status == kNotExecutable || answer.end.exit_status == kNotFound) {
    throw UserError(fmt::format("the command of --fails-if cannot be run: {}", command_),
                    "try it by hand: prog args | sh -c 'COMMAND'; it must exit with 0 when the run has failed");
  }
  const bool fails = answer.end.signal == 0 && answer.end.exit_status == 0;
  known_.emplace(std::move(key), fails);
  return fails;
}

}  // namespace culprit
