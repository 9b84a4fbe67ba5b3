// Data races of a traced run: two accesses to the same memory by two threads, one of them at least a write, that
// nothing orders. They are found in whichever order they happened (FastTrack: Flanagan, Freund, PLDI 2009, here with
// all accesses that are not yet ordered before the present ones, by byte).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "depend/node.h"
#include "depend/thread_order.h"
#include "format/graph_format.h"

namespace culprit::depend {

struct SharedAccess {
  uint32_t thread;
  uint64_t address, bytes;
  uint32_t operation;
  NodeNumber node;
  bool writes;
  bool atomic;
  bool to_own_stack;  ///< the address is one of the thread's activation
};

class Races {
 public:
  explicit Races(const trace::TraceFile& trace) : order_(trace) {}

  ThreadOrder& order() { return order_; }
  void access(const SharedAccess& access);
  /// Fresh memory: what was done to it before was done to another block.
  void forget(uint64_t address, uint64_t bytes);

  /// Each pair of operations once.
  std::vector<format::GraphRace> found() const;

 private:
  struct Seen {
    NodeNumber node;
    uint32_t operation;
    uint32_t thread;
    ThreadClock clock;
    uint8_t bytes;  ///< of the word, as bits
    bool writes, atomic;
  };
  using Word = std::vector<Seen>;
  struct Stack {
    uint64_t first = ~uint64_t{0}, end = 0;
  };
  static constexpr uint64_t kWordBytes = 8, kPageWords = 512, kMostSeen = 64;
  static constexpr uint64_t kMostBytes = 1 << 16;  ///< of one access; of larger ones the beginning is looked at
  static constexpr size_t kMostRaces = 4096;

  Word& word_at(uint64_t number);
  void access_word(uint64_t number, uint8_t bytes, const SharedAccess& access, ThreadClock now);
  void note(const Seen& first, const SharedAccess& second, uint64_t word);
  bool was_stack_of(uint32_t thread, uint64_t address) const;

  ThreadOrder order_;
  std::unordered_map<uint64_t, std::unique_ptr<Word[]>> pages_;
  uint64_t cached_number_ = ~uint64_t{0};
  Word* cached_ = nullptr;
  std::vector<Stack> stacks_;  ///< by thread
  std::map<std::pair<uint32_t, uint32_t>, format::GraphRace> found_;
};

}  // namespace culprit::depend
