// One order of all precise ids of a program that every execution follows: what merging executions needs.
#pragma once

#include "index/flow_tables.h"
#include "index/point_id.h"

namespace culprit {

/// Negative when `left` comes before `right`, positive when after, 0 when they are equal. Points that exclude each
/// other are ordered too, arbitrarily but always the same way. Ids of kPrecise; `tables` are the model's.
int compare_ids(const PointId& left, const PointId& right, const program::ProgramModel& model,
                const FlowTables& tables);

}  // namespace culprit
