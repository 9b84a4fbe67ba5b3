// Accesses to the heap outside of the blocks that are in use, as the pass over a trace (build_graph.h) comes by them:
// the question of Memcheck (Seward, Nethercote, USENIX 2005), asked of a run that is over. The trace tells of every
// block, also of those that libraries get for themselves. Nothing is put between blocks and none is held back, since
// the run was what it was: an access to a freed block is seen until the memory is given out again, one that leaves a
// block until it gets to the next one. What one call or operation does to a stretch of memory is compared with the
// variable that it begins in, too; of single words nobody knows which variable they are meant for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depend/activation.h"
#include "depend/active_operations.h"
#include "depend/dead_stack.h"
#include "depend/definitions.h"
#include "depend/variable_bounds.h"
#include "depend/variable_walks.h"
#include "format/graph_format.h"
#include "format/trace_format.h"
#include "program/external_effects.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// What each byte of the heap belongs to.
class HeapBytes {
 public:
  enum State : uint8_t { kUnknown, kInUse, kFreed, kBetween };

  State at(uint64_t address) {
    if (address < lowest_ || address >= highest_) return kUnknown;
    const uint8_t* page = page_of(address, false);
    return page ? static_cast<State>(page[address % kPageBytes]) : kUnknown;
  }
  void set(uint64_t address, uint64_t bytes, State state);

 private:
  static constexpr uint64_t kPageBytes = 4096, kCached = 256;
  struct Cached {
    uint64_t number = ~uint64_t{0};
    uint8_t* page = nullptr;
  };
  uint8_t* page_of(uint64_t address, bool make);

  uint64_t lowest_ = ~uint64_t{0}, highest_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<uint8_t[]>> pages_;
  Cached cache_[kCached];
};

class HeapWatch {
 public:
  /// All must stay.
  HeapWatch(const program::ProgramModel& model, const std::vector<uint64_t>& anchors, Definitions& definitions,
            const StackVariables& stack, const DeadStack& dead)
      : model_(model), definitions_(definitions), variables_(model, anchors, stack), walks_(variables_), dead_(dead) {}

  /// Native code got or gave back a block during the call `by`, or during none (kNoNumber); `operation` is the call's,
  /// which defines what the library writes into a block that it keeps for later.
  void changed(const format::TraceHeapChange& change, NodeNumber by, uint32_t operation);
  /// An operation of the program is executed as `node`.
  void executed(const Activation& activation, const ActiveOperation& operation, NodeNumber node);
  /// The call `operation` to native code came back. `effects` may be null: not known.
  void returned(std::string_view function, const trace::ReturnedCall& call, uint32_t operation, NodeNumber node,
                const program::CallEffects* effects);

  std::span<const format::GraphMisuse> found() const { return found_; }

 private:
  struct Block {
    uint64_t bytes;
    NodeNumber allocated;
    NodeNumber freed = kNoNumber;
    bool in_use = true;
  };
  struct Access {
    uint64_t address;
    uint64_t bytes;
    uint32_t operation;
    NodeNumber node;
    bool writes;
    bool is_word;  ///< of the program's own; else of a stretch of memory, by an operation or a library function
    uint32_t activation = format::kNone;  ///< of a word
  };

  void allocated(uint64_t address, uint64_t bytes, NodeNumber by);
  void freed(uint64_t address, NodeNumber by, uint32_t operation);
  /// Whether the call `operation` (kNone: none) only gives a block back, and the library writes into that.
  bool links_freed(uint32_t operation) const;
  void check(const Access& access);
  bool is_allowed(const Access& access, HeapBytes::State first, HeapBytes::State last);
  /// The block that a wrong byte is next to, or in.
  std::map<uint64_t, Block>::iterator block_near(uint64_t address);
  void tell_dead(const Access& access);
  /// Whether a stretch goes past the variable that it begins in.
  void check_variable(const Access& access);
  /// Whether a word is the first that leaves a variable.
  bool check_walk(const Access& access);
  void tell(const Access& access, uint64_t wrong, uint32_t flags);
  void add(const Access& access, format::GraphMisuse misuse);

  const program::ProgramModel& model_;
  Definitions& definitions_;
  VariableBounds variables_;
  VariableWalks walks_;
  const DeadStack& dead_;
  HeapBytes bytes_;
  std::map<uint64_t, Block> blocks_;  ///< by address: those in use, and freed ones until their memory is used again
  uint64_t last_freed_ = 0;
  std::vector<format::GraphMisuse> found_;
  std::map<std::pair<uint32_t, uint64_t>, size_t> known_;  ///< by operation and block, where it is in found_
};

}  // namespace culprit::depend
