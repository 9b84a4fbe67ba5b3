// Where a thread's point words change, chosen once more after callees have been inlined.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "build/point_options.h"
#include "instrument/index_points.h"

namespace culprit {

/// Marks the calls that lead to no point, so that settle_points knows them when functions have been inlined.
void mark_calls_without_points(llvm::Module& module, const std::vector<PointFunction>& functions);

/// Marks a call that may return with other words than it was made with: its function keeps its changes.
void mark_changed_by(llvm::CallBase& call);

/// For ids of kinds whose words are as they were wherever a function is left (pcce, pepid; others are left alone). The
/// passes change a word around calls, but most small callees are inlined later: then the word changes on ways that come
/// to no call at all, which no optimiser can know to be of no use. Here the word's offset at each remaining call is
/// found out, all changes are taken out, and call_offsets.h places new ones for those calls alone. A function where the
/// offsets are not known keeps its changes. Words of pepid are written where calls read them (sink_words.h).
///
/// Returns how many functions were settled.
size_t settle_points(llvm::Module& module, format::PointKind kind);

}  // namespace culprit
