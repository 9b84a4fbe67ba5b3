// A failure that the user's own executable shows and Culprit's builds of the program do not: what C leaves open they do
// otherwise. Stale memory of the stack and the heap differs between them, and so does what lies beside an array. So
// what happens in such a run is looked at for what C leaves open: variables that are read before they have a value,
// heap blocks that are used wrongly, arrays that are left by their index. None of it can be proved to be the cause,
// since the failing run itself is not seen.
#pragma once

#include "locate/explain.h"
#include "locate/repeated_runs.h"
#include "program/program_model.h"
#include "report/explanation.h"

namespace culprit {

/// Of a request whose runs did not fail: when the user's executable does, the explanation becomes that of its failure.
void explain_own_failure(const ExplainRequest& request, const program::ProgramModel& model,
                         const ExplainProgress& progress, report::Explanation& explanation);

/// Of a request whose runs did not fail, nor those of the user's executable: what a run is seen to do all the same that
/// no program may do. It may show with another input, or on another day.
void explain_passing_run(const ExplainRequest& request, const program::ProgramModel& model,
                         const ExplainProgress& progress, report::Explanation& explanation);

/// Of a run that takes long by the plan of sessions: runs the user's own executable instead, which is soon over, to see
/// whether it fails each time. False when that is still to be found out.
bool fails_again(const ExplainRequest& request, RunComparison& runs);

}  // namespace culprit
