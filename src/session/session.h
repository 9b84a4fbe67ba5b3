// A recorded run under control (DESIGN §5): run to a point, look at the program there, fork, alter, and see what comes
// of it. A replay runs all threads of the program on one kernel thread, so a fork copies everything.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "format/replay_control.h"
#include "recording/recording.h"

namespace culprit {

/// Where to stop. Statements are those of the program model of the plan `session`.
struct Point {
  format::ReplayPoint kind = format::ReplayPoint::kNone;
  uint32_t thread = 0;     ///< of a tick
  uint32_t statement = 0;  ///< of the program model
  uint64_t number = 1;     ///< of ticks, or the execution of the statement, counted from the place where it is asked
};

/// Where a session stands.
struct Position {
  format::ReplayPoint reached = format::ReplayPoint::kNone;
  uint32_t thread = 0;
  uint64_t ticks = 0;
  uint64_t frames = 0;  ///< address of the innermost FrameRecord; 0: the plan keeps none
  uint64_t instruction = 0;
  int signal = 0;  ///< at a crash, with the address that was accessed
  uint64_t address = 0;
};

/// An execution of a branch, counted from where the session stands, goes another way.
struct SwitchBranch {
  uint32_t block = 0;  ///< program model: the block that ends in the branch
  uint32_t way = 0;    ///< position among the block's outgoing edges
  uint64_t number = 1;
};

/// How a run ended.
struct Outcome {
  format::ReplayState state = format::ReplayState::kRunning;
  int64_t exit_status = 0;
  int64_t exit_signal = 0;
  bool hung = false;      ///< ended at the limit of ticks
  bool switched = false;  ///< the branch was executed and went the other way
  std::string said;       ///< why a replay diverged or failed
  uint64_t output_bytes = 0;
  std::string output;  ///< standard output and error since the session's start or fork; its first 60 KiB
};

class Session {
 public:
  /// Starts a replay by an executable of a plan of the program (empty: the recorded one) and stops before its first
  /// instruction. `recording` must outlive the session and its forks. Throws UserError.
  static Session replay(const recording::Recording& recording, const std::filesystem::path& executable);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  ///< ends the process

  /// Nothing when the run ends before; `outcome` then says how.
  std::optional<Position> run_to(const Point& point);

  /// Another session that stands at the same place.
  Session fork();

  /// A fork with an altered branch that goes on to its end at once; `outcome` waits for that. As fork, apply and
  /// start_to_finish, without waiting for the new process.
  Session start_experiment(const SwitchBranch& branch, uint64_t tick_limit = 0);

  /// What the run does otherwise from here on. It then no longer follows the log: see docs/architecture.md.
  void apply(const SwitchBranch& branch);
  /// The same for memory: a value replaced. False when it cannot be written.
  bool write_memory(uint64_t address, std::span<const std::byte> bytes);
  /// False when part of it is not mapped.
  bool read_memory(uint64_t address, std::span<std::byte> into) const;

  /// The process that stands there.
  pid_t process_id() const;

  /// Runs to the end; an altered run is ended after `tick_limit` ticks of a thread (0: none).
  Outcome finish(uint64_t tick_limit = 0);
  /// Lets the run go to its end without waiting; `outcome` waits.
  void start_to_finish(uint64_t tick_limit = 0);
  Outcome outcome();

 private:
  class Slots;
  struct Process;
  explicit Session(std::shared_ptr<Process> process);
  std::shared_ptr<Process> make_copy();
  void start_copy(Process& copy);
  std::shared_ptr<Process> process_;
};

}  // namespace culprit
