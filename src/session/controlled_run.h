// One process of an instrumented program under a session's control: started with its agent attached, its standard
// streams captured, read while it is stopped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"
#include "recording/replay.h"
#include "session/control_block.h"

namespace culprit {

/// How to start the program. With a recording every run is a replay of it, and the same execution; without, the program
/// itself runs, and two runs are the same as long as it depends on nothing but its arguments, standard input and files.
struct Launch {
  std::filesystem::path executable;      ///< instrumented, with session hooks
  std::vector<std::string> arguments;    ///< argv, the name included
  std::filesystem::path standard_input;  ///< a regular file or /dev/null
  std::shared_ptr<const recording::Recording> recording{};
};

/// How a process ended. Of an unaltered replay: how the recorded one did.
struct RunEnd {
  int wait_status = 0;  ///< as of waitpid
  bool timed_out = false;
  uint64_t peak_bytes = 0;  ///< of memory in use
  double cpu_seconds = 0;
};

class ControlledRun {
 public:
  /// Throws UserError (kEnvironmentLacks) when the program cannot be started.
  /// Of a replay that differs from the recording, `wait_for_stop` and `release` throw UserError.
  ControlledRun(const Launch& launch, const ControlBlock& control);
  ~ControlledRun();
  ControlledRun(const ControlledRun&) = delete;
  ControlledRun& operator=(const ControlledRun&) = delete;

  /// Waits until the program stops for inspection (true) or has ended (false). When `limit` passes first,
  /// `end().timed_out` is set and the program is stopped where it is or, when that does not work, killed.
  bool wait_for_stop(std::chrono::milliseconds limit);

  /// Reads the stopped program's memory; false when part of it is not mapped.
  bool read_memory(uint64_t address, std::span<std::byte> into) const;

  /// The file whose code or data a stopped program has at an address, by the name that the program knows it by; empty
  /// where that is no file's.
  std::filesystem::path file_at(uint64_t address) const;

  /// Lets a stopped program go on to its end and waits for that; one that was stopped by time is killed.
  void release();

  /// Valid once the program has ended.
  const RunEnd& end() const { return end_; }
  std::string standard_output() const;
  std::string standard_error() const;

 private:
  void start_program(const Launch& launch);
  void start_replay(const Launch& launch);
  void take_end_of_replay();
  bool reap(bool wait);
  bool interrupt();
  void kill_and_reap();
  const ControlBlock& control_;
  std::shared_ptr<const recording::Recording> recording_;
  std::optional<recording::ReportPage> report_;  ///< of a replay
  pid_t child_ = -1;
  int output_ = -1;
  int error_ = -1;
  bool ended_ = false;
  uint32_t agent_version_ = 0;  ///< once it was seen
  RunEnd end_;
};

}  // namespace culprit
