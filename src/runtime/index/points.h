// Point stacks (format/points_abi.h) and the current id.
#pragma once

#include "format/points_abi.h"
#include "format/runtime_abi.h"

#define CULPRIT_POINT_FUNCTION __attribute__((visibility("default")))
#include "runtime/index/culprit_point.h"

extern "C" {
extern thread_local culprit::format::ThreadPoints culprit_points __attribute__((tls_model("local-exec")));
/// Reports the current point, which is at a statement's site.
void culprit_point_reached(uint32_t site);
/// Missing in executables that keep no ids.
extern const culprit::format::PointPlan culprit_point_plan __attribute__((weak, visibility("hidden")));
}

namespace culprit::runtime {

/// Gives the calling thread its point stack, when the executable keeps ids.
void attach_points(format::ThreadState& thread);

/// What is known of a call or asked-at statement; null when nothing is.
const format::PointSite* find_point_site(uint32_t site);

/// The most memory that a thread's point stack, and its rows of counters, took so far; threads' sizes are not added up.
uint64_t most_point_bytes();

/// Of an id's words: FNV-1a over words instead of bytes, with a final mix (splitmix64).
class PointHash {
 public:
  explicit PointHash(format::PointKind kind) : hash_(0xcbf29ce484222325 ^ static_cast<uint64_t>(kind)) {}
  void add(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 32;
  }
  uint64_t value() const {
    uint64_t hash = (hash_ ^ (hash_ >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
  }

 private:
  uint64_t hash_;
};

}  // namespace culprit::runtime
