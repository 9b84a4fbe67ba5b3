// How a recorded run ended in which every thread waited for another one.
#pragma once

#include <vector>

#include "recording/recording.h"

namespace culprit::recording {

/// What each thread waited for when the runtime ended the run because of that; none: it ended otherwise.
std::vector<format::WaitPart> deadlock_of(const Recording& recording);

}  // namespace culprit::recording
