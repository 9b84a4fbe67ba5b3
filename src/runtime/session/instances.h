// Branch instances, counted thread by thread without a look at each: a thread's branches count a number down, and at
// zero the agent is asked (format::ThreadState::branches_left).
#pragma once

#include <cstdint>

#include "runtime/session/agent.h"

namespace culprit::agent {

inline constexpr int64_t kNever = INT64_MAX;
inline constexpr uint64_t kNoInstance = ~uint64_t{0};

/// The instances of one thread.
class Instances {
 public:
  /// That the thread has executed so far, the one that asks included.
  uint64_t so_far() const { return before_ + static_cast<uint64_t>(granted_ - state_->branches_left); }

  /// The agent is asked again at instance `next` (kNoInstance: never), having been asked at `now`.
  void ask_at(uint64_t next, uint64_t now);

  /// The thread has executed a branch, or is the first one.
  void begin(format::ThreadState& state) { state_ = &state; }
  bool has_begun() const { return state_ != nullptr; }
  /// Whether the thread, which has begun, has not ended.
  bool lives() const { return !on_replay() || loader.thread_lives(state_); }

  /// Stops at a statement; at none when it is kNoStatement.
  void watch(uint32_t statement);

 private:
  format::ThreadState* state_;
  uint64_t before_;
  int64_t granted_;
};

/// Whether a thread's instances have numbers: the main thread's, and all of a replay, where one thread runs at a time.
bool is_counted(const format::ThreadState& thread);

/// Of a counted thread, by its number.
Instances& instances_of(uint32_t thread);

/// Of the calling thread, counted or not.
uint64_t own_instances();

}  // namespace culprit::agent
