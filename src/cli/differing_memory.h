// Saying where the final memory of a replay is not that of the recorded run.
#pragma once

#include <string>

#include "recording/recording.h"

namespace culprit::cli {

/// "first at 0x555565401080, within `table` of /home/me/prog; 3 lines of 128 bytes differ": variables by their names
/// where the program or library tells them.
std::string differing_memory_text(const recording::Recording& recording, const format::ReplayReport& report);

}  // namespace culprit::cli
