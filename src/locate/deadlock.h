// A run that does not end because all its threads wait for each other: who waits where, and what would have let it go
// on – the lock that was not given back, or the wake-up that did not come. What each waits for says the runtime, which
// ended the recording there; where that came from, the trace of a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/dependence_graph.h"
#include "format/recording_format.h"

namespace culprit {

/// A call that would have let another thread go on, and the branch that went past it.
struct SkippedRelease {
  uint32_t call = 0;    ///< statement
  uint32_t branch = 0;  ///< block that ends in it
};

/// Who took the lock that a thread waits for.
struct LockHolder {
  uint32_t thread = 0;
  std::vector<uint32_t> taken{};  ///< statements that were active then, innermost first
  std::optional<SkippedRelease> skipped{};
};

/// What another thread wrote of what one had read before it began to wait, which nobody woke it for.
struct UnansweredWrite {
  uint32_t thread = 0;
  std::vector<uint32_t> active{};  ///< statements, innermost first
  std::optional<SkippedRelease> skipped{};
};

struct WaitingThread {
  uint32_t thread = 0;
  format::WaitsFor waits_for{};
  uint32_t other = 0;              ///< the thread whose end is waited for
  std::vector<uint32_t> active{};  ///< statements, innermost first; none where the thread waits in code of its own
  std::optional<LockHolder> holder{};
  std::vector<UnansweredWrite> writes{};  ///< the latest first
  std::vector<uint32_t> woken{};          ///< what was active when somebody was last woken there; none: nobody was
};

/// `waits`: as the recording has it. What others wait for comes first.
std::vector<WaitingThread> waiting_threads(const depend::DependenceGraph& graph,
                                           const std::vector<format::WaitPart>& waits);

}  // namespace culprit
