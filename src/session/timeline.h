// Any moment of a long replay within a short time: one pass leaves parked copies of the process (fork, so they share
// what neither writes), and a moment is reached from the nearest one before it.
//
// The log says beforehand how many ticks each stretch of each thread takes, so the copies are spread evenly over all
// ticks. Cost of a copy: its page tables and the pages that the run writes afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "session/session.h"

namespace culprit {

/// A thread has passed so many ticks.
struct Moment {
  uint32_t thread = 0;
  uint64_t ticks = 0;
};

class Timeline {
 public:
  struct Limits {
    uint32_t copies = 40;
    uint64_t memory = 0;  ///< bytes that the copies may have for themselves; 0: a quarter of what is free
  };

  /// `start` stands at its start, before the program's first instruction; `recording` must outlive it. Copies are made
  /// by `pass`.
  Timeline(Session start, const recording::Recording& recording, const Limits& limits);
  Timeline(Session start, const recording::Recording& recording) : Timeline(std::move(start), recording, Limits()) {}

  /// Replays the run once to its end. Where memory gets short every other copy is given up.
  void pass();

  struct Standing {
    Session session;
    Position position;  ///< of the start: nothing reached
  };
  /// A session of its own that stands at the moment; nothing when the run does not reach it.
  std::optional<Standing> at(const Moment& moment);

  /// Ticks of all threads.
  uint64_t length() const { return length_; }
  /// The moment at which all threads together have passed so many ticks, less than length().
  Moment moment(uint64_t elapsed) const;

  size_t copies() const { return copies_.size(); }
  /// Bytes of memory that only copies hold.
  uint64_t memory() const;

 private:
  /// What a thread runs between two of its events.
  struct Stretch {
    uint32_t thread;
    uint64_t event;        ///< number of the first of the two
    uint64_t from, until;  ///< ticks of the thread
    uint64_t elapsed;      ///< of all threads before it
  };
  struct Copy {
    Standing standing;
    uint64_t elapsed;
  };

  void read_schedule(const recording::EventStream& stream);
  uint64_t elapsed_at(const Moment& moment) const;
  void thin_out();

  std::vector<Stretch> stretches_;
  uint64_t length_ = 0;
  Limits limits_;
  std::vector<Copy> copies_;  ///< ascending; the first stands at the start
};

}  // namespace culprit
