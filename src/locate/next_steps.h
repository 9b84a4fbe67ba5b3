// Commands with which the reader of an explanation can go on.
#pragma once

#include <string>

#include "report/explanation.h"

namespace culprit {

/// What may be meant by who asks why a run fails that does not.
void add_steps_without_failure(report::Explanation& explanation);

/// Commands with which the reader can look at what was found.
void add_next_steps(const std::string& recording, bool crashed, bool scheduled, report::Explanation& explanation);

}  // namespace culprit
