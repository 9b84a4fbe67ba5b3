// Parts of an explanation that stand for themselves (explain.cc puts them together).
#pragma once

#include <optional>

#include "locate/child_output.h"
#include "locate/explain.h"
#include "locate/recorded_failure.h"
#include "locate/repeated_runs.h"
#include "locate/suspects.h"

namespace culprit {

/// Who says whether an altered run is good.
Oracle oracle_for(const ExplainRequest& request, const ObservedEnd& end);

/// What the first step is called: of a run that takes long by itself, with how long it takes to look at it.
std::string first_step(const ExplainRequest& request);

/// Time for a search: what was given for hundreds of short runs would serve but two or three of one that takes long.
std::chrono::milliseconds stretched(std::chrono::milliseconds time, const ExplainRequest& request,
                                    const ObservedEnd& failing);

/// Leaves out what was executed after the moment at which another run of the same was stopped. Where that one has a
/// log, it tells where it went otherwise; when that is on both sides of the stop, nothing is left out.
void end_log(BranchLog& log, const ObservedRun& stopped);

/// A program's own handler of a signal goes on after the failure: what it did is left out of the log.
void leave_out_handler(const report::Failure& failure, ObservedRun& failing);

/// The activations at the failure, the innermost with their variables.
void add_activations(const program::ProgramModel& model, const Evidence& evidence, report::Explanation& explanation);

/// Runs of equal input end differently: what only the failing ones do is told; altering them would prove nothing, since
/// an altered run may succeed by itself.
void explain_intermittent(const program::ProgramModel& model, const RepeatedRuns& runs, Evidence& evidence,
                          report::Explanation& explanation);

/// Where the failure is to be looked for in a trace: at the run's end when it crashed, else where the output went
/// wrong; `branch`: or at this branch instance.
std::optional<FailureSlice> slice_of_failure(const ExplainRequest& request, const TracedProgram& traced,
                                             const Launch& launch, const ObservedRun& failing,
                                             const ObservedRun& at_output, const std::optional<ChildOutput>& child,
                                             std::optional<uint64_t> branch, report::Explanation& explanation);

/// What is wrong with the use of the heap: what altering it has found, as far as the traced run does not show that to
/// be something else, and what that run was seen to do; else what another one does in which no memory is given out
/// again.
void tell_heap(const ExplainRequest& request, const program::ProgramModel& model,
               const std::optional<TracedProgram>& traced, Evidence& evidence, report::Explanation& explanation);

/// The data races of one more run of the program of which a statement is among `slice`.
std::vector<RacingAccesses> races_of_another_run(const ExplainRequest& request, const TracedProgram& traced,
                                                 const std::vector<DependentStatement>& slice,
                                                 report::Explanation& explanation);

/// Why the endless loop is not left.
void add_exits(const ExplainRequest& request, const program::ProgramModel& model, Evidence& evidence,
               report::Explanation& explanation);

/// Makes the failing run a recorded one, and `runs.failing` a replay of it.
std::optional<RecordedFailure> record(const ExplainRequest& request, const program::ProgramModel& model,
                                      RepeatedRuns& runs, report::Explanation& explanation);

/// That each execution of a branch went wrong, when it was executed once, and switching that one helps as well.
bool repeats_another(const CriticalBranch& branch, const std::vector<CriticalBranch>& critical, const BranchLog& log);

/// A program that changes what it reads does not fail the same way again: then the message says so.
void tell_other_end(const RepeatedRuns& runs, report::Failure& failure);

/// Looks for a schedule of its threads that makes the program fail, when it did not fail by itself. The runs are added.
std::optional<RecordedFailure> record_under_schedules(const ExplainRequest& request, const program::ProgramModel& model,
                                                      const std::function<bool(uint32_t done)>& progress,
                                                      RunComparison& runs, report::Explanation& explanation);

}  // namespace culprit
