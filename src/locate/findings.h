// What was found out about a failing run, in sentences for its reader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "locate/array_bounds.h"
#include "locate/endless_exits.h"
#include "locate/endless_loop.h"
#include "locate/failure_slice.h"
#include "locate/heap_experiments.h"
#include "locate/predicate_switching.h"
#include "locate/recursion.h"
#include "locate/suppression.h"
#include "locate/value_replacement.h"
#include "program/program_model.h"
#include "report/explanation.h"
#include "session/frames.h"

namespace culprit {

/// Where the program goes on along an outgoing edge of a block: "line 40".
std::string way_text(const program::ProgramModel& model, uint32_t block, uint32_t way);

report::Finding finding_of(const program::ProgramModel& model, const CriticalBranch& branch, const Oracle& oracle);
report::Finding finding_of(const program::ProgramModel& model, const CriticalStatement& critical, const Oracle& oracle);
report::Finding finding_of(const program::ProgramModel& model, const CriticalValue& critical, const Oracle& oracle);
report::Finding finding_of(const program::ProgramModel& model, const BoundsFault& fault);
report::Finding finding_of(const program::ProgramModel& model, const EndlessLoop& loop);
/// `variables`: of the loop's activation, where it was stopped.
report::Finding finding_of(const program::ProgramModel& model, const LoopExit& exit,
                           const std::vector<VariableValue>& variables);
report::Finding finding_of(const program::ProgramModel& model, const Recursion& recursion);
report::Finding finding_of(const program::ProgramModel& model, const UnwrittenVariable& unwritten);
/// One for the wrong access, and those for the release and the allocation of its block.
/// The statement by which a block was given back that was used later: the call in the innermost function that came to
/// both, or, where the use is on the same line, what gave it back.
uint32_t release_to_blame(const program::ProgramModel& model, const HeapFault& fault);

void add_findings_of(const program::ProgramModel& model, const HeapFault& fault,
                     std::vector<report::Finding>& findings);

/// Tells where the value that is wrong at the failure was made, and how it came there.
void add_path(const program::ProgramModel& model, const FailureSlice& slice, report::Failure& failure);
/// Beyond the value's origin: what decided that it was made there.
void add_decision(const program::ProgramModel& model, const FailureSlice& slice, report::Failure& failure);
/// Where the bad value was made; nothing when it was not followed.
std::optional<report::Finding> value_origin(const program::ProgramModel& model, const FailureSlice& slice);

}  // namespace culprit
