// The agreement between a controlling `culprit` and the session agent inside an instrumented program: one block of
// shared memory. Observed bodies with homes and session hooks keep a chain of frame records, so that a stopped program
// can be read in its own terms without unwinding, and count the branches they execute, so that a branch instance has a
// number: the n-th conditional branch or switch of the main thread since its first entry (FIC §4.1 numbers predicates
// so), or, of a replay, which runs its threads one at a time, of all threads. The agent can also alter the heap: what
// fresh memory holds, how much room blocks have, when they are given back. Plain C++ without library headers, because
// the runtime includes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/alteration.h"

namespace culprit::format {

inline constexpr uint32_t kSessionVersion = 11;
/// Environment variable with the number of the descriptor of the shared memory; removed before main.
inline constexpr const char* kSessionVariable = "CULPRIT_SESSION";

/// One per activation of an observed body with session hooks, on the machine stack.
struct FrameRecord {
  FrameRecord* caller;        ///< null in a thread's first
  uint32_t entry_block;       ///< program model: the function's first block
  uint32_t statement;         ///< program model: what is being executed; kNone in the prologue
  const char* user_frame;     ///< base of its frame on the user stack; null when it has none
  const char* private_frame;  ///< base of its homes; null when it has none
};
static_assert(sizeof(FrameRecord) == 32);

enum class SessionMode : uint32_t {
  kRun,          ///< run; stop for inspection when a fatal signal arrives
  kLogBranches,  ///< the same, and append every branch instance to the log
  kExperiments,  ///< fork where each listed experiment begins and go on altered
};

enum class StopReason : uint32_t {
  kNone,
  kFatalSignal,
  kLimit,          ///< an altered run executed too many branches
  kStackOverflow,  ///< a fatal signal, because the user or private stack is used up
  kOutput,         ///< the byte of standard output that was asked for is about to be written
  kInterrupted,    ///< the controlling side asked (kInterruptSignal)
  kInvalidFree,    ///< the guarded block was freed a second time
  kOutOfBounds,    ///< an array is about to be accessed beyond its elements
};

/// SIGXCPU: stops the unaltered run for inspection.
inline constexpr int kInterruptSignal = 24;

/// Where and why the program stopped; valid once `reason` is set.
struct StopRecord {
  StopReason reason;
  int32_t signal;
  int32_t signal_code;   ///< si_code
  uint32_t thread;       ///< the stopped one, by ThreadState::number; 0: the main thread
  uint64_t address;      ///< si_addr
  uint64_t instruction;  ///< program counter
  uint64_t frames;       ///< address of its innermost FrameRecord
  uint64_t branches;     ///< branch instances that it has executed
};
static_assert(sizeof(StopRecord) == 48);

/// From a branch instance in the log on, instances are another thread's.
struct ThreadTurn {
  uint64_t instance;  ///< the first
  uint32_t thread;    ///< ThreadState::number
  uint32_t reserved;
  uint64_t own_before;  ///< instances of the thread itself before that one
};
static_assert(sizeof(ThreadTurn) == 24);

/// Threads with higher numbers have no instances.
inline constexpr uint32_t kMostCountedThreads = 4096;
inline constexpr uint64_t kMostThreadTurns = uint64_t{1} << 20;

/// A branch instance in the log.
struct BranchEntry {
  uint32_t block;  ///< program model: the block that ends in the branch
  uint32_t way;    ///< position among the block's outgoing edges
};
static_assert(sizeof(BranchEntry) == 8);

inline constexpr uint32_t kNoStatement = 0xffffffff, kNoBlock = 0xffffffff;

enum class SwitchScope : uint32_t {
  kInstance,      ///< this execution only
  kSameWay,       ///< and later ones of the branch that would go the old way; of a statement: all later ones
  kEachInverted,  ///< and all later ones, each to the branch's other side; for branches with two
};

/// One experiment: what to alter and, filled in by the agent, how the altered run ended. Either a branch is switched,
/// or, when `statement` is not kNoStatement, a statement is altered: at its execution that comes after branch instance
/// `instance` of the thread and after `passes` others of it, before the next branch instance. (0: anywhere after the
/// start.) Of two experiments in a row with the same instance and another statement, the second one's passes count from
/// the first. The list is in the order in which the run comes there.
struct ExperimentRecord {
  uint64_t instance;    ///< of a branch of `thread`, from 1, among that thread's own
  uint32_t way;         ///< the outgoing edge to take instead of the one that the program chose
  uint32_t finished;    ///< 1 when the rest is valid
  int32_t wait_status;  ///< as of wait4
  SwitchScope scope;
  uint32_t statement;
  StatementAction action;
  uint64_t passes;
  uint64_t value;             ///< ThreadState::altered_value
  uint32_t then_block;        ///< after the switch also the branch at this block's end goes …
  uint32_t then_way;          ///< … this way …
  uint64_t then_number;       ///< … in its execution number so-and-so from then on; 0: none
  StopRecord stop;            ///< fatal signals and limits
  uint64_t output_bytes;      ///< standard output in all, the part before the switch included
  uint64_t first_difference;  ///< byte of standard output that first differs from what is expected; output_bytes or
                              ///< expected bytes, whichever is less, when one is a prefix of the other; ~0 when equal
  uint64_t same_start;        ///< bytes at the start that are as in the unaltered run's output
  uint64_t same_end;          ///< and at the end, not counting those
  uint64_t kept_output;       ///< where its output lies in the kept outputs; ~0: not there
  uint64_t executions;        ///< of SessionControl::counted_statement after a switch, kMostCounted at most
  uint64_t executions_in_round;  ///< those in SessionControl::counted_round
  uint32_t thread;               ///< ThreadState::number
  uint32_t reserved;
};
static_assert(sizeof(ExperimentRecord) == 176);

inline constexpr uint64_t kMostCounted = 10'000;

inline constexpr uint32_t kMostHeapFrames = 24;

/// The statements of the activations at an allocation or a release, innermost first.
struct HeapSite {
  uint32_t count;
  uint32_t statements[kMostHeapFrames];
};

enum class HeapAlteration : uint32_t {
  kNone,
  kFill,        ///< fresh memory holds `fill` in blocks up to `last`, `fill_after` in later ones
  kKeepFreed,   ///< blocks up to `last` are never given back
  kMoreRoom,    ///< blocks up to `last` have `room` bytes more than was asked for
  kGuardEnd,    ///< block `last` lies against memory that may not be accessed
  kGuardFreed,  ///< block `last` may not be accessed once it was freed
  kFillFreed,   ///< no block is given back; once freed, those up to `last` hold `fill`, later ones `fill_after`
};

/// Blocks are numbered from 1 in the order of their allocation.
struct HeapControl {
  HeapAlteration alteration;
  uint8_t fill;
  uint8_t fill_after;
  uint16_t reserved;
  uint64_t last;
  uint64_t room;
  // Told by the agent.
  uint64_t allocations;    ///< so far
  uint64_t block_address;  ///< of block `last`
  uint64_t block_bytes;
  uint64_t guard_begin;  ///< memory that may not be accessed
  uint64_t guard_end;
  HeapSite allocated;  ///< block `last`
  HeapSite freed;
};

/// The first access of a run by an index that the array's type does not have.
struct BoundsControl {
  uint32_t clamp;      ///< request: 1: every such index becomes that of the array's last element
  uint32_t stop;       ///< request: 1: stop for inspection before the first such access
  uint32_t statement;  ///< told, valid when `elements` is not 0
  uint32_t reserved;
  int64_t index;
  uint64_t elements;  ///< that the array has
};
static_assert(sizeof(BoundsControl) == 32);

/// The head of the shared memory; offsets are from its start.
struct SessionControl {
  uint32_t version;        ///< of the controlling side
  uint32_t agent_version;  ///< told; these two stay where they are in every version
  SessionMode mode;
  uint64_t bytes;         ///< of the whole block
  uint64_t branch_limit;  ///< the altered thread of an altered run may execute so many branch instances in all
  uint64_t log_offset;    ///< BranchEntry ring; entry of instance n is at (n - 1) mod log_capacity
  uint64_t log_capacity;
  uint64_t turns_offset;        ///< ThreadTurn array
  uint64_t turns_capacity;      ///< when it is full, only the thread that has its turn goes on being logged
  uint64_t turn_count;          ///< told
  uint64_t experiments_offset;  ///< ExperimentRecord array
  uint64_t experiment_count;
  uint64_t expected_offset;  ///< expected standard output
  uint64_t expected_bytes;
  uint64_t unaltered_offset;  ///< standard output of the unaltered run
  uint64_t unaltered_bytes;
  uint64_t kept_offset;    ///< outputs of altered runs, as far as there is room
  uint64_t kept_capacity;  ///< bytes; 0: no output is kept
  uint64_t kept_bytes;
  uint32_t workers;              ///< altered runs at the same time
  uint32_t stop_for_inspection;  ///< 1: wait at a fatal signal until `released` is set
  uint32_t released;             ///< futex
  uint32_t stopped;              ///< futex, set to 1 when `stop` is valid
  uint32_t sealed;               ///< 1: the run touches nothing outside, from its start
  uint32_t unbuffered;           ///< 1: standard output is written as soon as the program hands it to the library
  uint64_t output_stop;          ///< stop for inspection before byte number so-and-so (from 0) is written, or where the
                                 ///< program ends itself by a call; needs `sealed` or a replay
  uint64_t clock;                ///< real time at which the program seems to start, nanoseconds; 0: as it is
  HeapControl heap;
  BoundsControl bounds;
  StopRecord stop;             ///< of the unaltered run
  uint64_t branches;           ///< instances logged so far
  uint64_t memory_more;        ///< bytes of data that an altered run may have beyond what it has when it begins
  uint64_t cpu_seconds;        ///< that it may take
  uint32_t counted_statement;  ///< request: kNoStatement, or whose executions by the main thread are counted; of
                               ///< experiments in the altered runs
  uint32_t round_block;    ///< of experiments: each execution of its branch begins a round; kNoBlock: all is round 0
  uint64_t counted_round;  ///< the round, after a branch was switched, that is counted for itself
  uint64_t executions;     ///< told
};

}  // namespace culprit::format
