// One process of an instrumented program under a session's control: started with its agent attached, its standard
// streams captured, read while it is stopped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/control_block.h"

namespace culprit {

/// How to start the program. The same launch twice gives the same execution, as long as the program depends on nothing
/// but its arguments, standard input and files.
struct Launch {
  std::filesystem::path executable;      ///< instrumented, with session hooks
  std::vector<std::string> arguments;    ///< argv, the name included
  std::filesystem::path standard_input;  ///< a regular file or /dev/null
};

/// How a process ended.
struct RunEnd {
  int wait_status = 0;  ///< as of waitpid
  bool timed_out = false;
};

class ControlledRun {
 public:
  /// Throws UserError (kEnvironmentLacks) when the program cannot be started.
  ControlledRun(const Launch& launch, const ControlBlock& control);
  ~ControlledRun();
  ControlledRun(const ControlledRun&) = delete;
  ControlledRun& operator=(const ControlledRun&) = delete;

  /// Waits until the program stops for inspection (true) or has ended (false). When `limit` passes first,
  /// `end().timed_out` is set and the program is stopped where it is or, when that does not work, killed.
  bool wait_for_stop(std::chrono::milliseconds limit);

  /// Reads the stopped program's memory; false when part of it is not mapped.
  bool read_memory(uint64_t address, std::span<std::byte> into) const;

  /// Lets a stopped program go on to its end and waits for that; one that was stopped by time is killed.
  void release();

  /// Valid once the program has ended.
  const RunEnd& end() const { return end_; }
  std::string standard_output() const;
  std::string standard_error() const;

 private:
  bool reap(bool wait);
  bool interrupt();
  void kill_and_reap();
  const ControlBlock& control_;
  pid_t child_ = -1;
  int output_ = -1;
  int error_ = -1;
  bool ended_ = false;
  RunEnd end_;
};

}  // namespace culprit
