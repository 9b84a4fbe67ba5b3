// An explanation as SARIF 2.1.0 (OASIS), which editors and code hosting show beside the source.
#pragma once

#include <string>

#include "report/explanation.h"

namespace culprit::report {

/// One run with one result for the failure (level "error", the findings and activations as related locations and stack)
/// and one for each suspect (level "warning", SARIF's `rank` falling from 100). `tool_version` is Culprit's.
std::string to_sarif(const Explanation& explanation, const std::string& tool_version);

}  // namespace culprit::report
