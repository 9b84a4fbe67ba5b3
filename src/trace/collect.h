// Taking what a traced program writes and keeping it as a trace.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/trace_format.h"

namespace culprit::trace {

/// What belongs to a trace beside its chunks.
struct TraceOrigin {
  std::filesystem::path model;
  std::filesystem::path executable;
  format::TraceContents contents = format::TraceContents::kAll;
  std::vector<std::string> words;  ///< the program's name as typed, then its arguments
  /// So many parts of the main thread's events, kPartBytes each, are not kept; 0: the whole run is. kSkipAll: they are
  /// only counted, until let_begin(). Needs the contents kValues. Other threads are traced altogether.
  uint64_t skip_parts = 0;
};

inline constexpr uint64_t kPartBytes = format::kTraceSkipBytes;
inline constexpr uint64_t kSkipAll = ~uint64_t{0};

struct CollectedTrace {
  uint64_t skipped_parts = 0;  ///< of a trace that did not begin
  uint64_t plain_bytes = 0;    ///< what the program wrote
  uint64_t stored_bytes = 0;   ///< the chunks' file
  size_t chunks = 0;
};

/// Receives and compresses a program's chunks while it runs, on a thread of its own.
class TraceCollector {
 public:
  /// Makes `folder` ready; the program must be started with `environment_value()` as CULPRIT_TRACE. Throws UserError.
  TraceCollector(const std::filesystem::path& folder, TraceOrigin origin);
  ~TraceCollector();
  std::string environment_value() const;
  /// The folder, open as long as this lives: what a replay is given for hooks (recording::ReplayOptions::hook_output).
  int folder_descriptor() const;
  /// So far, of what the program wrote.
  uint64_t received_bytes() const;
  /// Of a program that skips: its trace begins about where it is now, kPartBytes of events later at the latest.
  void let_begin();
  /// Whether it has begun.
  bool has_begun() const;
  /// Once the program has ended: takes what is left in its buffers and closes the trace.
  CollectedTrace finish(const ProcessEnd& end);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace culprit::trace
