// What orders the threads of a traced run, apart from the order in which they happened to run: starts and ends of
// threads, locks, conditions, semaphores, barriers, atomic operations. Vector clocks (Mattern 1988; Lamport's
// happens-before).
//
// Where it is not known which state a call acquires or releases, it counts as all of them, and a join as one of every
// thread that has ended: two accesses may then count as ordered that are not, never the other way round.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "depend/node.h"
#include "depend/ordering_calls.h"
#include "program/external_effects.h"
#include "program/program_model.h"
#include "trace/trace_file.h"

namespace culprit::depend {

/// A moment of a thread; moments between two of its releases are one.
using ThreadClock = uint32_t;

class ThreadOrder {
 public:
  /// Goes over the trace once, since the arguments of a call are known when it has come back, and what it releases it
  /// may release long before. Throws CorruptData.
  explicit ThreadOrder(const trace::TraceFile& trace);

  /// Whether a second thread was made: until then everything is ordered.
  bool has_begun() const { return has_begun_; }

  /// The call by which it was made, kNoNumber when that is not known. `handle`: trace::ControlStream::handle.
  NodeNumber thread_begins(uint32_t thread, uint64_t handle);
  void thread_ends(uint32_t thread);
  /// In the order in which they happen in the trace.
  void call_made(uint32_t thread, uint32_t operation, NodeNumber call);
  void call_returned(uint32_t thread, uint32_t operation, const program::CallEffects& effects);
  void before_atomic(uint32_t thread, uint64_t address, uint64_t bytes);
  void after_atomic(uint32_t thread, uint64_t address, uint64_t bytes);

  ThreadClock now(uint32_t thread) { return clock_of(thread)[thread]; }
  /// Whether all that the other thread did up to `then` happened before what `thread` does now.
  bool is_after(uint32_t thread, uint32_t other, ThreadClock then) {
    const Clock& clock = clock_of(thread);
    return other < clock.size() && clock[other] >= then;
  }
  /// Whether `thread` had ended when `other` began.
  bool ended_before(uint32_t thread, uint32_t other) const;

 private:
  using Clock = std::vector<ThreadClock>;
  struct Made {
    uint32_t operation;
    bool releases_all = false;
    uint64_t makes = 0;              ///< handle of a thread; 0: none, or it is not known
    std::vector<uint64_t> releases;  ///< keys of states
  };
  struct Thread {
    Clock clock;
    std::vector<Made> made;       ///< calls that order threads, of the whole run
    size_t next = 0;              ///< of them, the next to be made
    std::vector<size_t> pending;  ///< of them, those that have not come back
    uint64_t handle = 0;
    bool has_begun = false, has_ended = false;
    std::vector<bool> ended_before;  ///< when it began: by thread
  };

  struct Start {
    uint64_t handle;
    NodeNumber call;
    Clock clock;
  };

  void look_ahead(const trace::TraceFile& trace);
  Made* came_back(Thread& thread, uint32_t operation);
  Thread& at(uint32_t thread);
  Clock& clock_of(uint32_t thread);
  void acquire(uint32_t thread, uint64_t key);
  void acquire_all(uint32_t thread);
  void join_thread(uint32_t thread, std::optional<uint64_t> handle);
  void release(uint32_t thread, const Made& made);
  void release(uint32_t thread, uint64_t key);
  void tick(uint32_t thread) { ++clock_of(thread)[thread]; }

  OrderingCalls calls_;
  std::vector<Thread> threads_;
  std::vector<Start> starts_;  ///< of threads that were made and have not begun, in order
  std::unordered_map<uint64_t, Clock> released_;
  Clock released_somewhere_;
  bool has_begun_ = false;
};

}  // namespace culprit::depend
