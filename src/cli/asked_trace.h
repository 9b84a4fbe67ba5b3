// The trace that questions about a recorded run are answered from.
#pragma once

#include <filesystem>

#include "depend/dependence_graph.h"
#include "recording/recording.h"
#include "trace/trace_file.h"

namespace culprit::cli {

/// What of a run a question is about.
enum class AskedPart {
  kAll,
  kEnd,  ///< the end of the run, or what was executed last: of a long run its last part is enough
};

struct AskedTrace {
  std::filesystem::path folder;
  /// It holds the end of the run only: what was done before has no part in it, and executions cannot be numbered.
  bool is_end = false;
};

/// The trace kept in `place`; made first when there is none by this Culprit's build of the program. A run is long when
/// its first thread passes more than 20 million ticks; of one with threads there is no last part. Throws UserError when
/// the replay differs from the recording.
AskedTrace asked_trace(const recording::Recording& recording, const std::filesystem::path& place, AskedPart part);

/// Names in that place: of the whole run's, and of the last part's.
inline constexpr const char* kKeptTrace = "trace";
inline constexpr const char* kKeptEnd = "end";

/// Where traces of a recording can be kept: in its folder, or else, if that cannot be written, in `other`.
std::filesystem::path place_of_traces(const recording::Recording& recording, const std::filesystem::path& other);

/// The graph of a trace, as of depend::open_graph; where that will take long, standard error says so.
depend::DependenceGraph graph_of(const trace::TraceFile& trace);

}  // namespace culprit::cli
