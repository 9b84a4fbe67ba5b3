// What a program put out on one stream, byte by byte: which nodes made each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depend/node.h"
#include "format/graph_format.h"

namespace culprit::depend {

/// Bytes in the order of the calls that put them out. Runs of bytes with the same origin are kept as one.
class OutputRuns {
 public:
  void add(uint64_t bytes, std::span<const NodeNumber> sources);
  /// From here on it is not known where in the output something lies: `call` put out nobody knows how much.
  void lose(NodeNumber call);

  format::GraphOutput sizes() const { return {runs_.size(), nodes_.size(), bytes_, lost_at_.bits}; }
  std::span<const format::GraphRun> runs() const { return runs_; }
  std::span<const NodeNumber> nodes() const { return nodes_; }

 private:
  std::vector<format::GraphRun> runs_;
  std::vector<NodeNumber> nodes_;
  uint64_t bytes_ = 0;
  NodeNumber lost_at_ = kNoNumber;
};

}  // namespace culprit::depend
