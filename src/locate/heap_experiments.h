// Whether a failure comes from the heap being used wrongly, found by altering the heap instead of watching every
// access: when the same run ends otherwise because fresh memory holds other bytes, freed blocks are kept, or blocks
// have more room, then it read memory it never wrote, used a block that was freed, or left a block's bounds. The one
// block that matters is found by bisection over the order of allocation, and then guarded by the processor's page
// protection, so that the first wrong access itself stops the run. Nothing is guessed: every claim is a run that ended
// otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "locate/predicate_switching.h"
#include "session/frames.h"

namespace culprit {

enum class HeapError {
  kUninitialised,
  kUsedAfterFree,
  kFreedTwice,
  kFreedInside,  ///< what was given back does not begin a block
  kOutOfBounds,
  kUsedAfterReturn,  ///< a variable of a function that has returned; seen only
};

struct HeapFault {
  HeapError error = HeapError::kUninitialised;
  uint64_t block = 0;  ///< its number in the order of allocation; 0: not known
  uint64_t bytes = 0;
  /// Statements of the activations, innermost first; of a variable, where its address was made.
  std::vector<uint32_t> allocated;
  std::vector<uint32_t> freed;
  std::vector<Frame> access;      ///< activations at the wrong access, innermost first; empty when it was not caught
  std::optional<int64_t> offset;  ///< of the wrong access from the block's start
  /// The first branch that went another way because of what the block held, where the wrong access itself is not known.
  std::optional<uint32_t> first_different_branch;
  bool repairs = false;  ///< the altered run ended as a good run does
  bool writes = false;   ///< known of what was seen only
  /// Not a block of the heap is meant but this variable of the program model, and the function of its activation, kNone
  /// of a global. `block` is 0 then.
  std::optional<uint32_t> variable;
  uint32_t function = program::kNone;
  bool strays = false;    ///< the address lies in another block than the one that it was meant for
  bool was_seen = false;  ///< in a traced run; else found by altering runs
};

struct HeapSearch {
  std::vector<HeapFault> faults;
  uint64_t runs = 0;
  bool reproduced = true;  ///< the failing run ends the same way in a sealed world; otherwise nothing was tried
};

/// `failing`: how the failing run ended. `still_wanted` false ends the search.
struct ObservedEnd;
HeapSearch search_heap(const Launch& launch, const ObservedEnd& failing, const Oracle& oracle,
                       std::chrono::milliseconds time, const std::function<bool()>& still_wanted);

}  // namespace culprit
