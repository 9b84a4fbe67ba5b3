// What a program put out on one stream, byte by byte: which nodes made each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depend/node.h"

namespace culprit::depend {

/// Bytes in the order of the calls that put them out. Runs of bytes with the same origin are kept as one.
class OutputRuns {
 public:
  void add(uint64_t bytes, std::span<const Node> sources);
  /// From here on it is not known where in the output something lies: `call` put out nobody knows how much.
  void lose(Node call);

  uint64_t bytes() const { return bytes_; }
  /// kNoNode, or the call from which on positions are not known.
  Node lost_at() const { return lost_at_; }
  /// Of the byte at `offset`, counted from 0, below bytes().
  std::span<const Node> at(uint64_t offset) const;

 private:
  struct Run {
    uint64_t first_byte;
    uint64_t first_node;
  };
  std::vector<Run> runs_;
  std::vector<Node> nodes_;
  uint64_t bytes_ = 0;
  Node lost_at_ = kNoNode;
};

}  // namespace culprit::depend
