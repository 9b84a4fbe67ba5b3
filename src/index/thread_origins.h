// Where the threads of a traced run were created: what makes a thread the same in another run (EPID §III-A).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "index/union_program.h"
#include "trace/trace_file.h"

namespace culprit {

/// Of one thread.
struct ThreadOrigin {
  uint32_t statement = format::kNone;  ///< the call that created it; kNone: unknown, or the first thread
  /// Precise ids of the calls that created it, its creator, its creator's creator …, as words. Empty for the first
  /// thread.
  std::vector<uint64_t> words;
};

/// By the trace's numbers of threads, which follow the order of creation. Calls that create threads and fail, or that
/// native libraries make, leave later threads without an origin. Throws CorruptData.
std::vector<ThreadOrigin> thread_origins(const trace::TraceFile& trace);
/// The same with ids of the union of two versions, of which the trace is by the left or the right one.
std::vector<ThreadOrigin> thread_origins(const trace::TraceFile& trace, const UnionProgram& program, bool is_left);

/// Threads of two runs that were created at the same point, the first ones first.
std::vector<std::pair<uint32_t, uint32_t>> corresponding_threads(const std::vector<ThreadOrigin>& left,
                                                                 const std::vector<ThreadOrigin>& right);

}  // namespace culprit
