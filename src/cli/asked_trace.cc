// A run that computes for a second passes some 10^8 ticks, and its dependences would take tens of GB; most questions
// are about where it ended. So the whole run is begun to be traced, which is all there is to do for a short one, and
// given up for its last part where it turns out to be long.
#include "cli/asked_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "cli/make_trace.h"
#include "cli/traced_session.h"
#include "trace/collect.h"
#include "trace/trace_file.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostTicks = 20'000'000;
constexpr uint64_t kEndMebibytes = 64;  // of events
constexpr uint64_t kLargeGraph = uint64_t{4} << 30;

/// Whether the folder holds a finished trace by that executable. One that cannot be read, such as another version's, is
/// made again.
bool holds_trace(const fs::path& folder, const trace::TraceOrigin& origin) {
  if (!fs::exists(folder / trace::kManifestFile)) return false;
  try {
    return trace::TraceFile(folder).executable() == origin.executable;
  } catch (const CorruptData&) {
    return false;
  }
}

/// False when the run is long and `part` can be had without the rest.
bool trace_all(const recording::Recording& recording, const fs::path& folder, const trace::TraceOrigin& origin,
               AskedPart part) {
  trace::TraceCollector collector(folder, origin);
  Session session = Session::replay(recording, origin.executable, collector.folder_descriptor());
  if (session.run_to(tick_point(0, kMostTicks))) {
    if (part == AskedPart::kEnd && !has_threads(recording)) return false;
    fmt::print(stderr,
               "culprit: this run is long, and its dependences may take long and much room. Of a part of it: culprit "
               "trace --from POINT --to POINT NAME, then culprit slice of that trace\n");
    session.start_to_finish();
  }
  collector.finish(end_of(session));
  return true;
}

/// Puts what `make(folder)` makes, if it returns true, in the place of `folder`.
template <typename Make>
bool replace(const fs::path& folder, Make&& make) {
  const TemporaryDirectory staged(staging_place(folder));
  if (!make(staged.path() / "made")) return false;
  fs::remove_all(folder);
  fs::rename(staged.path() / "made", folder);
  return true;
}

}  // namespace

AskedTrace asked_trace(const recording::Recording& recording, const fs::path& place, AskedPart part) {
  const fs::path whole = place / kKeptTrace, end = place / kKeptEnd;
  const trace::TraceOrigin origin = origin_of_trace(recording, format::TraceContents::kAll);
  if (holds_trace(whole, origin)) return {whole};
  const bool is_long = part == AskedPart::kEnd && fs::exists(end / trace::kManifestFile);
  if (!is_long && replace(whole, [&](const fs::path& folder) { return trace_all(recording, folder, origin, part); })) {
    return {whole};
  }
  const trace::TraceOrigin of_end = origin_of_trace(recording, format::TraceContents::kValues);
  if (!holds_trace(end, of_end)) {
    replace(end, [&](const fs::path& folder) {
      const recording::NoStreams nowhere;
      make_trace_of_end(recording, folder, kEndMebibytes << 20, nowhere.surroundings());
      return true;
    });
  }
  fmt::print(stderr,
             "culprit: the run is long: this is of its last {} MiB of events, and what was written before them has no "
             "source here\n",
             kEndMebibytes);
  return {end, true};
}

fs::path place_of_traces(const recording::Recording& recording, const fs::path& other) {
  return ::access(recording.directory.c_str(), W_OK) == 0 ? recording.directory : other;
}

depend::DependenceGraph graph_of(const trace::TraceFile& trace) {
  if (const uint64_t bytes = depend::bytes_to_write(trace); bytes > kLargeGraph) {
    fmt::print(stderr, "culprit: finding the dependences of a long trace, some {} GiB of them\n", bytes >> 30);
  }
  return depend::open_graph(trace);
}

}  // namespace culprit::cli
