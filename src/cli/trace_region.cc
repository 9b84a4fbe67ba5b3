// Both points are found as ticks, on which all plans of a program agree. A trace can begin only where its activations
// know themselves (docs/architecture.md, "Of a run's end"), which is soon wherever it is asked for; how soon in ticks
// nobody knows, so it is asked for some ticks earlier, and again where that was too late.
#include "cli/trace_region.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "cli/replay_to.h"
#include "cli/traced_session.h"
#include "session/session.h"
#include "trace/collect.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using format::ReplayPoint;

constexpr uint64_t kFirstTicks = 4096;  ///< before the region's first point
constexpr uint64_t kMoreTicks = 16;     ///< times as many where that was too late

/// A point as ticks of a thread that were passed before it.
struct Moment {
  uint32_t thread = 0;
  uint64_t ticks = 0;
};

/// Nothing when the trace would begin behind `from`, as it is asked for `ticks` before.
std::optional<MadeTrace> try_region(const recording::Recording& recording, const fs::path& folder,
                                    trace::TraceOrigin origin, const std::optional<Moment>& from, uint64_t ticks,
                                    const std::optional<Moment>& to) {
  const bool begins_late = from && from->ticks > ticks;
  origin.skip_parts = begins_late ? trace::kSkipAll : 0;
  trace::TraceCollector collector(folder, origin);
  MadeTrace made;
  {
    Session session = Session::replay(recording, origin.executable, collector.folder_descriptor());
    bool runs = true;
    if (begins_late) {
      runs = session.run_to(tick_point(from->thread, from->ticks - ticks)).has_value();
      collector.let_begin();
      runs = runs && session.run_to(tick_point(from->thread, from->ticks));
      if (runs && !collector.has_begun()) return std::nullopt;
    }
    if (runs && to) {
      runs = session.run_to(tick_point(to->thread, to->ticks + 1)).has_value();
    } else if (runs) {
      session.start_to_finish();
      runs = false;
    }
    if (!runs) made.end = end_of(session);
  }
  made.trace = collector.finish(made.end);
  return made;
}

/// Where the run stands at a point; nothing when it does not get there.
std::optional<Position> find(const recording::Recording& recording, const std::string& point) {
  const std::optional<StoppedReplay> stopped = stop_replay(recording, point);
  if (!stopped) return std::nullopt;
  return stopped->position;
}

}  // namespace

std::optional<MadeTrace> make_trace_of_region(const recording::Recording& recording, const fs::path& folder,
                                              const std::string& from, const std::string& to) {
  std::optional<Moment> first, last;
  if (!from.empty()) {
    if (has_threads(recording)) {
      throw UserError("a trace of a run with threads begins with the run", "leave --from out");
    }
    const std::optional<Position> position = find(recording, from);
    if (!position) return std::nullopt;
    first = {position->thread, position->ticks};
  }
  if (!to.empty()) {
    const std::optional<Position> position = find(recording, to);
    if (!position) return std::nullopt;
    const bool at_end = position->reached == ReplayPoint::kCrash || position->reached == ReplayPoint::kExit;
    if (!at_end) last = {position->thread, position->ticks};
    if (first && last && last->ticks < first->ticks) {
      throw UserError(fmt::format("{} comes before {}", to, from), "name a later point with --to");
    }
  }
  const trace::TraceOrigin origin = origin_of_trace(recording, format::TraceContents::kValues);
  for (uint64_t ticks = kFirstTicks;; ticks *= kMoreTicks) {
    if (std::optional<MadeTrace> made = try_region(recording, folder, origin, first, ticks, last)) return made;
  }
}

}  // namespace culprit::cli
