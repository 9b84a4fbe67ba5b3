// The passes that make fast bodies keep execution-point ids, one a kind (EPID §II-A to C, E; §III). They run after
// ticks and before functions become bodies; each defines the point plan.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "instrument/index_points.h"

namespace culprit {

PointTables insert_context_numbers(llvm::Module& module, const std::vector<PointFunction>& functions);
PointTables insert_instruction_counter(llvm::Module& module, const std::vector<PointFunction>& functions);
PointTables insert_structural_index(llvm::Module& module, const std::vector<PointFunction>& functions);
PointTables insert_lightweight_index(llvm::Module& module, const std::vector<PointFunction>& functions);
PointTables insert_precise_ids(llvm::Module& module, const std::vector<PointFunction>& functions,
                               bool paths_in_irreducible_loops);

/// All of it: finds the points, inserts what the plan's kind needs, defines the point plan. Nothing for kNone.
void insert_point_ids(llvm::Module& module, const PointOptions& options);

}  // namespace culprit
