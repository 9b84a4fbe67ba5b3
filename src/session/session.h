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
#include <variant>
#include <vector>

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
  uint64_t events = 0;  ///< of the recording that have been replayed
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

/// An execution of a statement writes nothing, or does not make its call, which then yields `result`. A callee that
/// gives its result in memory leaves that as it was. The execution is counted from where the session stands, as in all
/// that follow.
struct SuppressStatement {
  uint32_t statement = 0;  ///< program model
  uint64_t number = 1;
  uint64_t result = 0;  ///< cut to the size of the call's type
};

/// What an execution of a statement writes, or returns to its caller, is another value.
struct ReplaceWrite {
  uint32_t statement = 0;
  uint64_t number = 1;
  uint64_t value = 0;  ///< its bits, cut to the size of what is written; types above 8 bytes get zero
};

/// What an execution of a statement reads at an address is another value; the memory stays as it is.
struct ReplaceRead {
  uint32_t statement = 0;
  uint64_t number = 1;
  uint64_t address = 0;
  uint64_t value = 0;
};

/// Memory changes where the session stands, also that of a variable in its home.
struct WriteMemory {
  uint64_t address = 0;
  std::vector<std::byte> bytes;
};

/// What an altered run does otherwise, as plain data (DESIGN §5).
using Alteration = std::variant<SwitchBranch, SuppressStatement, ReplaceWrite, ReplaceRead, WriteMemory>;

/// How a run ended.
struct Outcome {
  format::ReplayState state = format::ReplayState::kRunning;
  int64_t exit_status = 0;
  int64_t exit_signal = 0;
  bool hung = false;         ///< ended at the limit of ticks
  bool took_effect = false;  ///< the branch or statement was executed, and went or did otherwise
  std::string said;          ///< why a replay diverged or failed
  uint64_t output_bytes = 0;
  std::string output;  ///< standard output and error since the session's start or fork; its first 60 KiB
};

class Session {
 public:
  /// Starts a replay by an executable of a plan of the program (empty: the recorded one) and stops before its first
  /// instruction. `recording` must outlive the session and its forks. Executables with hooks for a trace write it to
  /// the folder with the descriptor `hook_output`, if that is given; then the session must not be forked. Throws
  /// UserError.
  static Session replay(const recording::Recording& recording, const std::filesystem::path& executable,
                        int hook_output = -1);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  ///< ends the process

  /// Nothing when the run ends before; `outcome` then says how.
  std::optional<Position> run_to(const Point& point);

  /// Another session that stands at the same place.
  Session fork();

  /// A fork with an alteration that goes on to its end at once; `outcome` waits for that. As fork, apply and
  /// start_to_finish, without waiting for the new process.
  Session start_experiment(const Alteration& alteration, uint64_t tick_limit = 0);

  /// What the run does otherwise from here on. It then no longer follows the log: see docs/architecture.md. At most one
  /// switched branch and one altered statement; while the latter has not come, the session stops at no statement.
  /// Throws UserError when memory cannot be written.
  void apply(const Alteration& alteration);
  /// The same for memory. False when it cannot be written.
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
