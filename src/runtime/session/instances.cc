#include "runtime/session/instances.h"

#include "format/replay_control.h"

namespace culprit::agent {
namespace {

constinit Instances of_threads[format::kMostCountedThreads] = {};

}  // namespace

void Instances::ask_at(uint64_t next, uint64_t now) {
  before_ = now;
  granted_ = next == kNoInstance ? kNever : static_cast<int64_t>(next - now - 1);
  state_->branches_left = granted_;
}

void Instances::watch(uint32_t statement) {
  state_->watched = statement == format::kNoStatement ? 0 : format::kWatchedBase + statement;
}

bool is_counted(const format::ThreadState& thread) {
  return thread.number == 0 || (on_replay() && thread.number < format::kMostCountedThreads);
}

Instances& instances_of(uint32_t thread) {
  return of_threads[thread];
}

uint64_t own_instances() {
  if (is_counted(culprit_thread)) {
    const Instances& instances = instances_of(culprit_thread.number);
    return instances.has_begun() ? instances.so_far() : 0;
  }
  // One that executed no branch yet has none left to execute; its first makes that kNever.
  const int64_t left = culprit_thread.branches_left;
  return left == 0 ? 0 : 1 + static_cast<uint64_t>(kNever - left);
}

}  // namespace culprit::agent
