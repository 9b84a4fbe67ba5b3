#include "depend/output_runs.h"

#include <algorithm>
#include <iterator>

namespace culprit::depend {

void OutputRuns::add(uint64_t bytes, std::span<const Node> sources) {
  if (bytes == 0 || lost_at_ != kNoNode) return;
  runs_.push_back({bytes_, nodes_.size()});
  nodes_.insert(nodes_.end(), sources.begin(), sources.end());
  bytes_ += bytes;
}

void OutputRuns::lose(Node call) {
  if (lost_at_ == kNoNode) lost_at_ = call;
}

std::span<const Node> OutputRuns::at(uint64_t offset) const {
  const auto next =
      std::partition_point(runs_.begin(), runs_.end(), [&](const Run& run) { return run.first_byte <= offset; });
  const uint64_t end = next == runs_.end() ? nodes_.size() : next->first_node;
  const uint64_t first = std::prev(next)->first_node;
  return std::span(nodes_).subspan(first, end - first);
}

}  // namespace culprit::depend
