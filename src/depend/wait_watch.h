// Who waits for whom at the end of a trace, as the pass over it (build_graph.h) comes by it: the calls that have not
// come back, the locks that nobody gave back, who was let go on last, and what others wrote since of what a thread had
// read before it began to wait. What a thread asks in vain for is in the memory that it read under the lock, just
// before it waits; so the last reads since a call that took something are kept, and compared with what others write.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "depend/activation.h"
#include "depend/active_operations.h"
#include "depend/definitions.h"
#include "depend/ordering_calls.h"
#include "format/graph_format.h"
#include "program/external_effects.h"

namespace culprit::depend {

class WaitWatch {
 public:
  /// Both must stay.
  WaitWatch(const program::ProgramModel& model, const Definitions& definitions)
      : definitions_(definitions), calls_(model) {}

  /// An operation of the program is executed as `node`.
  void executed(uint32_t thread, const Activation& activation, const ActiveOperation& operation, NodeNumber node);
  /// A call to native code came back.
  void returned(uint32_t thread, uint32_t operation, NodeNumber node, const program::CallEffects& effects);
  void thread_ends(uint32_t thread) { stops_waiting(thread); }

  std::vector<format::GraphWait> found() const;

 private:
  static constexpr size_t kMostRead = 64, kMostChanges = 16;
  struct Range {
    uint64_t address = 0, bytes = 0;
  };
  struct Change {
    uint32_t operation;
    NodeNumber node;
    uint64_t address;
  };
  struct Thread {
    std::optional<NodeNumber> waits;
    std::array<Range, kMostRead> read{};  ///< the latest, since it took something
    size_t reads = 0;
    std::vector<Change> changes;  ///< since it waits; of each operation the last
  };
  struct Held {
    uint32_t thread;
    NodeNumber node;
  };

  Thread& at(uint32_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }
  void wrote(uint32_t thread, uint32_t operation, NodeNumber node, Range range);
  void begins_to_wait(uint32_t thread, NodeNumber call);
  void stops_waiting(uint32_t thread);
  static size_t filter_of(uint64_t address) { return address / 8 % kFilter; }

  static constexpr size_t kFilter = 4096;
  const Definitions& definitions_;
  OrderingCalls calls_;
  std::vector<Thread> threads_;
  std::bitset<kFilter> read_words_;              ///< of those that wait, and perhaps of some that have waited
  size_t waiting_ = 0;                           ///< threads
  std::unordered_map<uint64_t, Held> held_;      ///< by the lock's address
  std::unordered_map<uint64_t, Held> released_;  ///< by the state's address
};

}  // namespace culprit::depend
