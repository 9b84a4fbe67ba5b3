// What counts as a failure, said by a command of the user's (`culprit why --fails-if CMD`).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace culprit {

/// Asks the command about ended runs: it gets a run's standard output as its input, CULPRIT_EXIT_STATUS (128 + n after
/// signal n) in its environment, and exits with 0 when such a run has failed. Equal runs are asked about once.
class UserPredicate {
 public:
  explicit UserPredicate(std::string command) : command_(std::move(command)) {}

  /// `wait_status` as of waitpid. Throws UserError when the command cannot be run (the shell's 126 and 127).
  bool fails(std::string_view output, int wait_status);

  const std::string& command() const { return command_; }

 private:
  std::string command_;
  std::unordered_map<std::string, bool> known_;  ///< by exit status and output
};

}  // namespace culprit
