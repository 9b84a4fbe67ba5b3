// Execution-point ids in words.
#pragma once

#include <string>

#include "index/point_id.h"

namespace culprit {

/// One line, outermost activation first: "main main.c:9:5 [2,0] > get main.c:5:9". In brackets: iterations of the loops
/// around the call (kPrecise), its hit count (kLightweight), the open branches and how often they were taken in a row
/// (kStructural). "×3": the third entry from outside of what it calls.
std::string text_of(const PointId& id, const program::ProgramModel& model);

/// "file.c:12:3 true", or what is known of an edge that the instrumentation made.
std::string edge_position_text(const program::ProgramModel& model, uint32_t edge);

}  // namespace culprit
