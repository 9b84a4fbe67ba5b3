// Whether a failure comes from an array being left by its index: what the session's bounds hooks saw in the failing
// run, where that was, and whether the failure goes away when the index is kept inside the array.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "locate/observe.h"
#include "locate/predicate_switching.h"

namespace culprit {

struct BoundsFault {
  uint32_t statement = 0;  ///< program model
  int64_t index = 0;
  uint64_t elements = 0;  ///< that the array has
  ObservedRun access;     ///< the run, stopped before the access; without frames when it could not be stopped there
  bool repairs = false;   ///< with every such index kept inside, the run ends as a good run does
};

/// `seen`: what the failing run told (ObservedRun::bounds). Makes two sealed runs. Nothing when no array was left.
std::optional<BoundsFault> examine_bounds(const Launch& launch, const program::ProgramModel& model,
                                          const format::BoundsControl& seen, const Oracle& oracle,
                                          std::chrono::milliseconds limit);

}  // namespace culprit
