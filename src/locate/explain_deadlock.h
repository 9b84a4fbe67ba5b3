// The explanation of a run in which all threads wait for each other.
#pragma once

#include "locate/explain.h"
#include "locate/recorded_failure.h"
#include "locate/suspects.h"

namespace culprit {

/// `launch` replays the recording of the run, which ended so; `waits` is what it says of its threads.
void explain_deadlock(const ExplainRequest& request, const program::ProgramModel& model, const Launch& launch,
                      const std::vector<format::WaitPart>& waits, const Evidence& evidence,
                      report::Explanation& explanation);

}  // namespace culprit
