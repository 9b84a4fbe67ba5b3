// Execution-point ids while a program runs (EPID §II, §III): the agreement between the index passes, the runtime and
// readers of ids. An executable keeps ids of one kind. Plain C++ without library headers, because the runtime includes
// it.
//
// Ids lie in words of 8 bytes on the thread's point stack, in the order in which activations were entered. Each
// activation that made a call that may lead to a point has left there what its kind needs, and behind it a *call word*:
// the statement of the call, and how often the callee was entered from outside (callbacks) or by a tail call. An
// activation keeps the place of its own words in a register and writes them before such calls only, together with the
// new top: no code is needed where calls return, not even by an exception. So the id of the current point is the
// memory from the stack's base to its top.
//
//   kind         words before an activation's call word
//   kContext     [context number] where a number is started (recursion, indirect and native calls): what is added to
//                ThreadPoints::number from there on says how the context goes on
//   kCount       none; the id is ThreadPoints::number
//   kStructural  [times, branch word] for each region whose push cannot be inferred; where open regions lie in each
//                other, one for all of them, with a hash of their branches in place of times
//   kLightweight [how often the call was made at this depth]
//   kPrecise     [iteration] for each loop around the call, outermost first
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

inline constexpr uint32_t kPointsVersion = 3;

enum class PointKind : uint32_t {
  kNone,
  kContext,      ///< calling context, numerically encoded (PCCE)
  kCount,        ///< software instruction counter (SIC)
  kStructural,   ///< structural execution index (SEI)
  kLightweight,  ///< lightweight execution index (LEI)
  kPrecise,      ///< precise execution-point id (PEPID)
};
inline constexpr uint32_t kPointKinds = 6;

// A call word: the statement of the program model plus 1 (0: the start of a thread) in the low 32 bits, the entries
// from outside in the high ones.
constexpr uint32_t statement_site(uint32_t statement) {
  return statement + 1;
}
constexpr uint32_t site_of_word(uint64_t word) {
  return static_cast<uint32_t>(word);
}
constexpr uint32_t entries_of_word(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}

/// Marks a branch word: an edge of the program model in the low 31 bits, the block that closes its region in the high
/// half (kNoClosingBlock: the function's exit).
inline constexpr uint32_t kBranchMark = 0x80000000;
inline constexpr uint32_t kNoClosingBlock = 0xffffffff;

/// Per thread, in initial-exec thread-local storage as `culprit_points`; all zero until the thread is set up. Written
/// by instrumented code.
struct ThreadPoints {
  char* top;        ///< end of the current id's words; the last one is a call word
  uint64_t number;  ///< kContext: number of the current context; kCount: how much was counted
  uint32_t site;    ///< kContext and kCount: the statement that is asked at, plus 1
  uint32_t reserved;
  char* base;
  char* rows;  ///< kLightweight: counters, a row per depth
};
static_assert(offsetof(ThreadPoints, top) == 0);
static_assert(offsetof(ThreadPoints, number) == 8);
static_assert(offsetof(ThreadPoints, site) == 16);
static_assert(offsetof(ThreadPoints, base) == 24);
static_assert(offsetof(ThreadPoints, rows) == 32);

inline constexpr const char* kThreadPointsSymbol = "culprit_points";
/// Bytes of an activation on the point stack of kLightweight, where the depth is computed from the address.
inline constexpr uint32_t kLightweightBytes = 16;

/// What is known of a call that may lead to a point. Ascending by site.
struct PointSite {
  uint32_t site;
  uint32_t function;        ///< the entry block of its function in the program model
  uint32_t first_position;  ///< kPrecise: in PointPlan::positions
  uint32_t loops;           ///< kPrecise: loops around it; `loops` + 1 positions
};
static_assert(sizeof(PointSite) == 16);

/// kContext: a direct call whose callee's context number is the caller's plus `offset`. Ascending by callee, then by
/// offset.
struct PointCall {
  uint32_t callee;  ///< entry block
  uint32_t site;
  uint64_t offset;
};
static_assert(sizeof(PointCall) == 16);

/// In an executable that keeps ids, as `culprit_point_plan`. A site's positions say where among its siblings each of
/// its loops stands in the enclosing loop, and then itself: of two points of an execution with equal words before, the
/// one with the lower position came first.
struct PointPlan {
  uint32_t version;
  PointKind kind;
  uint64_t row_bytes;  ///< kLightweight: of a row of counters
  uint64_t site_count;
  uint64_t call_count;
  const PointSite* sites;
  const PointCall* calls;
  const uint32_t* positions;
};
static_assert(sizeof(PointPlan) == 56);

inline constexpr const char* kPointPlanSymbol = "culprit_point_plan";

/// The program's questions (runtime/index/culprit_point.h) begin with it; so does the hook.
inline constexpr const char* kPointPrefix = "culprit_point_";
/// void(uint32_t site): reports the current point.
inline constexpr const char* kPointReachedSymbol = "culprit_point_reached";
/// void(uint32_t site, uint64_t value): the same with a value.
inline constexpr const char* kPointValueSymbol = "culprit_point_value";

/// Environment variable with the file that points are reported to and how, removed before main:
/// "<limit> <form> <path>", limit being the most points that are reported.
inline constexpr const char* kPointsVariable = "CULPRIT_POINTS";

enum class ReportForm : uint32_t {
  kIds,     ///< per point a ReportedPoint and the id's words
  kHashes,  ///< per point 8 bytes, a hash of thread and id
};

/// At the start of the file.
struct ReportHead {
  uint32_t version;
  PointKind kind;
  ReportForm form;
  uint32_t finished;     ///< 1 when the program ended by exit
  uint64_t reached;      ///< points reached, also those beyond the limit
  uint64_t stack_bytes;  ///< the most that a thread's point stack and rows of counters took
};
static_assert(sizeof(ReportHead) == 32);

/// Site 0: the report ends here, because the program was killed.
struct ReportedPoint {
  uint32_t site;
  uint32_t words;
  uint32_t has_value;
  uint32_t reserved;
  uint64_t value;  ///< what the statement is about to write, or what it branches on; addresses are no values
};
static_assert(sizeof(ReportedPoint) == 24);

}  // namespace culprit::format
