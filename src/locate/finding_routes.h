// What was found, with how it travelled to the failure.
#pragma once

#include <optional>
#include <vector>

#include "locate/failure_route.h"
#include "locate/failure_slice.h"
#include "locate/predicate_switching.h"
#include "locate/suppression.h"
#include "locate/value_replacement.h"
#include "program/program_model.h"
#include "report/explanation.h"

namespace culprit {

/// A finding and where it is in the failing run.
struct LocatedFinding {
  report::Finding finding;
  std::optional<RouteStart> start;
};

/// Nothing when it is not in the trace.
std::optional<RouteStart> start_of(const FailureSlice& slice, const CriticalBranch& branch);
std::optional<RouteStart> start_of(const FailureSlice& slice, const CriticalStatement& critical);
RouteStart start_of(const CriticalValue& critical);

/// Gives the first proved findings their routes.
void add_routes(const program::ProgramModel& model, const FailureSlice& slice, std::vector<LocatedFinding>& findings);

}  // namespace culprit
