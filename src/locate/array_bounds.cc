#include "locate/array_bounds.h"

namespace culprit {

std::optional<BoundsFault> examine_bounds(const Launch& launch, const program::ProgramModel& model,
                                          const format::BoundsControl& seen, const Oracle& oracle,
                                          std::chrono::milliseconds limit) {
  if (seen.elements == 0) return std::nullopt;
  BoundsFault fault;
  fault.statement = seen.statement;
  fault.index = seen.index;
  fault.elements = seen.elements;
  fault.access = observe_bounds(
      launch, model, {.clamp = 0, .stop = 1, .statement = 0, .reserved = 0, .index = 0, .elements = 0}, limit);
  if (fault.access.end.stop.reason != format::StopReason::kOutOfBounds) fault.access.end.frames.clear();
  const ObservedRun inside = observe_bounds(
      launch, model, {.clamp = 1, .stop = 0, .statement = 0, .reserved = 0, .index = 0, .elements = 0}, limit);
  fault.repairs = is_good_end(inside.end, oracle);
  return fault;
}

}  // namespace culprit
