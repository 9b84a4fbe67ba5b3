#include "depend/output_runs.h"

namespace culprit::depend {

void OutputRuns::add(uint64_t bytes, std::span<const NodeNumber> sources) {
  if (bytes == 0 || lost_at_ != kNoNumber) return;
  runs_.push_back({bytes_, nodes_.size()});
  nodes_.insert(nodes_.end(), sources.begin(), sources.end());
  bytes_ += bytes;
}

void OutputRuns::lose(NodeNumber call) {
  if (lost_at_ == kNoNumber) lost_at_ = call;
}

}  // namespace culprit::depend
