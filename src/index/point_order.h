// Which of two points comes first (EPID §IV, Ordering).
#pragma once

#include "index/point_id.h"

namespace culprit {

enum class PointOrder {
  kEqual,
  kBefore,     ///< the left one comes first in every execution that has both
  kAfter,      ///< the right one
  kUnordered,  ///< no execution has both, or the kind does not tell
};

/// Of points of one program, in any executions: kPrecise and kStructural. Of points of one execution only: kCount and
/// kLightweight. Contexts tell only whether they are equal.
PointOrder order_of(const PointId& left, const PointId& right, const program::ProgramModel& model);

}  // namespace culprit
