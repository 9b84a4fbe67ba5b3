// A child process that we watch: its lines of progress come to us, its messages go to a file, and it ends when we are
// interrupted.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace culprit {

/// The child's descriptor for lines of progress.
inline constexpr int kProgressDescriptor = 3;

struct WatchedCommand {
  std::vector<std::string> words;                 ///< program (looked up in PATH) and arguments
  std::filesystem::path messages;                 ///< file for standard output and error
  std::function<void(std::string_view)> on_line;  ///< a line from kProgressDescriptor; may be empty
  std::function<void()> on_idle;                  ///< several times a second; may be empty
};

/// Runs the command in a process group of its own and waits. Throws UserError (kEnvironmentLacks) when it cannot be
/// started, and Interrupted, after killing the group, inside an InterruptScope.
ProcessEnd run_watched(const WatchedCommand& command);

/// The ids of a process's children and of theirs, as far as the kernel tells. A process whose parent has ended is
/// nobody's.
std::vector<pid_t> descendants_of(pid_t process);

}  // namespace culprit
