// The program rebuilt so that its runs leave a trace with values, and such runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/shell_command.h"
#include "depend/dependence_graph.h"
#include "session/controlled_run.h"
#include "trace/collect.h"

namespace culprit {

/// Of the plan `values`.
struct TracedProgram {
  std::filesystem::path executable;
  std::filesystem::path model;
};

/// Whose trace it is, when the program is run as `launch` says.
trace::TraceOrigin origin_of_trace(const TracedProgram& traced, const Launch& launch);

/// What becomes of blocks that the program gives back. Who kept a pointer into one that was given out again does
/// nothing that could be seen.
enum class FreedBlocks : uint8_t { kGivenOutAgain, kStay };

/// Runs it once, with its trace in the folder `place`. `enough` ends it early: it is asked now and then with the bytes
/// of the trace so far.
CommandResult trace_program(const TracedProgram& traced, const Launch& launch, const std::filesystem::path& place,
                            const std::function<bool(uint64_t bytes)>& enough = {},
                            FreedBlocks freed = FreedBlocks::kGivenOutAgain);

/// Runs it once and shows the dependences of that run, which are gone afterwards. Throws UserError, CorruptData.
void look_at_run(const TracedProgram& traced, const Launch& launch,
                 const std::function<void(const depend::DependenceGraph&, const trace::TraceFile&)>& look,
                 FreedBlocks freed = FreedBlocks::kGivenOutAgain);

}  // namespace culprit
