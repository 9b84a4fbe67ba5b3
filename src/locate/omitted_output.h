// An output that ends too early: what is missing was put out nowhere, so nothing that was executed leads to it by what
// it depends on. What can be told is where the run went past something that would have put more out, the latest first.
// Functions of the program's own that put something out, themselves or by what they call, are told by their calls.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"
#include "report/explanation.h"
#include "session/control_block.h"

namespace culprit {

struct OmittedOutput {
  uint64_t instance;   ///< of the branch that went past it
  uint32_t block;      ///< of that branch
  uint32_t way;        ///< that it took
  uint32_t statement;  ///< that would have put something out on standard output, as far as is known
};

/// The last execution of each branch that went past such a statement, the latest first.
std::vector<OmittedOutput> omitted_outputs(const program::ProgramModel& model, const BranchLog& log);

/// Of the latest few.
void add_findings_of(const program::ProgramModel& model, const std::vector<OmittedOutput>& omitted,
                     std::vector<report::Finding>& findings);

}  // namespace culprit
