// Execution-point ids as data (EPID §II, §III), read from the words that an instrumented program keeps
// (format/points_abi.h).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "format/points_abi.h"
#include "program/program_model.h"

namespace culprit {

/// A branch whose region is open, and how often it was taken in a row.
struct OpenBranch {
  uint32_t edge;  ///< program model; format::kMadeEdge and above: of the instrumentation
  uint64_t times;
  bool operator==(const OpenBranch&) const = default;
};

/// An activation on the way to the point.
struct PointFrame {
  uint32_t statement;    ///< the call that leads on, or, in the last frame, the point itself; kNone: a thread's start
  uint32_t entries = 0;  ///< how often what it calls was entered from outside or by tail calls
  std::vector<uint64_t> counts = {};  ///< kPrecise: iterations, outermost loop first; kLightweight: the one hit count
  std::vector<OpenBranch> branches = {};  ///< kStructural
  bool operator==(const PointFrame&) const = default;
};

struct PointId {
  format::PointKind kind;
  std::vector<PointFrame> frames;  ///< outermost first; kCount: the point only
  uint64_t count = 0;              ///< kCount
  bool operator==(const PointId&) const = default;
};

/// Throws CorruptData, naming `source`, when the words do not fit the model. Ids of kContext are expected as call words
/// of all activations, as reports have them.
PointId parse_point_id(format::PointKind kind, std::span<const uint64_t> words, const program::ProgramModel& model,
                       const std::string& source);

/// The loops around a statement.
uint32_t loops_around(const program::ProgramModel& model, uint32_t statement);

}  // namespace culprit
