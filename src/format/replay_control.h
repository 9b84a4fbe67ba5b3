// How a session drives a replaying process: shared memory in slots, one for each process. A slot is a page with the
// ReplayReport and, behind it, this control, then room for what the process would have shown.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/alteration.h"
#include "format/recording_format.h"

namespace culprit::format {

inline constexpr size_t kReplayControlOffset = 2048;  ///< in a slot
inline constexpr size_t kReplaySlotHeadBytes = 4096;
inline constexpr size_t kReplaySlotOutputBytes = 60 << 10;
inline constexpr size_t kReplaySlotBytes = kReplaySlotHeadBytes + kReplaySlotOutputBytes;

enum class ReplayPoint : uint32_t {
  kNone,       ///< the end of the replay
  kTick,       ///< thread `thread` has passed `number` ticks
  kStatement,  ///< the execution number `number` of `statement`, from 1, counted from where the request was made
  kCrash,      ///< a fatal signal is about to end the program
  kExit,       ///< the program is about to exit
  kProcess,    ///< the program has just started its process number `number`, from 1; it is still in the call that did
};

enum class ReplayCommand : uint32_t {
  kGoOn,  ///< to the requested point
  kFork,  ///< make another process that waits like this one, with slot `fork_slot`
  kEnd,   ///< end the process
};

struct ReplayControl {
  // Asked.
  uint32_t session;  ///< 1: wait for a command before the program starts, and at points; keep output in the slot
  ReplayCommand command;
  uint32_t go_on;  ///< futex word, counted up with each command: the n-th answers the n-th stop
  ReplayPoint point;
  uint32_t thread;
  uint32_t statement;
  uint64_t number;
  uint32_t fork_slot;
  uint32_t altered;       ///< 1: from now on the run is not the recorded one
  uint32_t switch_block;  ///< the branch at the end of this block goes `switch_way` …
  uint32_t switch_way;
  uint64_t switch_number;        ///< … at this execution from now on; 0: none
  uint64_t tick_limit;           ///< ticks that an altered run may pass; 0: no limit
  StatementAction alter_action;  ///< instead of a point: the statement `alter_statement` does this …
  uint32_t alter_statement;
  uint64_t alter_number;   ///< … in this execution from now on; 0: none. Counted down.
  uint64_t alter_value;    ///< ThreadState::altered_value and …
  uint64_t alter_address;  ///< … altered_address
  // Told.
  uint32_t stopped;  ///< futex word, counted up at the start, at points, after a fork (in both), and at the end
  ReplayPoint reached;
  uint32_t at_thread;
  int32_t process;
  int32_t forked;        ///< the new process, or a negative error number
  int32_t signal;        ///< at a crash
  uint32_t hung;         ///< 1: ended at `tick_limit`
  uint32_t took_effect;  ///< 1: the branch or statement was executed, and went or did otherwise
  uint64_t address;      ///< of the fault
  uint64_t instruction;  ///< program counter
  uint64_t ticks;
  uint64_t frames;        ///< the thread's innermost FrameRecord (session_abi.h); 0: none
  uint64_t events;        ///< of the recording that have been replayed
  uint64_t output_bytes;  ///< standard output and error; those beyond the room are only counted
};
static_assert(kReplayControlOffset + sizeof(ReplayControl) <= kReplaySlotHeadBytes);
static_assert(sizeof(ReplayReport) <= kReplayControlOffset);

/// ThreadState::watched for a statement of the program model; 0 watches nothing. Above what an instruction holds in one
/// byte, so that all tests are encoded alike.
inline constexpr uint32_t kWatchedBase = 0x100;

/// The test before a statement ends in `cmpl $watched, %fs:…; jne …; int3`: where the number stands, from behind int3.
inline constexpr int kWatchedBack = 7;

/// Where a statement can be altered, the test begins with `xor eax, eax`, and what is in eax afterwards is the
/// StatementAction. In an encoding that compilers do not choose, so that it is known from what may stand before a test.
inline constexpr const char* kClearAction = ".byte 0x33, 0xc0";
inline constexpr int kClearActionBack = 17;

/// Whether the statement can be altered whose test has trapped, by the address behind int3.
inline bool can_be_altered(uint64_t behind) {
  const auto* clear = reinterpret_cast<const unsigned char*>(behind) - kClearActionBack;
  return clear[0] == 0x33 && clear[1] == 0xc0;
}

/// The number that a test which has trapped compares with.
inline uint32_t watched_by(uint64_t behind) {
  uint32_t number;
  __builtin_memcpy(&number, reinterpret_cast<const void*>(behind - kWatchedBack), sizeof number);
  return number;
}

/// A call of the session agent outside of its own sessions, when ThreadState::branches_left has run out: arguments are
/// block and way, the result is the way to take, or an error when nobody wants to know.
inline constexpr long kBranchCall = 0x43554c52;

}  // namespace culprit::format
