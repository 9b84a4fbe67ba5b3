#include "locate/passage.h"

#include <unordered_map>
#include <unordered_set>

namespace culprit {

using depend::DependenceGraph;
using depend::Node;

Passage passage_between(const DependenceGraph& graph, Node later, Node earlier) {
  std::unordered_map<uint32_t, Node> active;  // for `later`, by frame
  for (Node at = later; at != depend::kNoNode;) {
    const uint32_t frame = graph.execution(at.execution()).frame;
    if (!active.emplace(frame, at).second) break;
    at = graph.frame(frame).call;
  }
  std::unordered_set<uint32_t> seen;
  for (Node at = earlier; at != depend::kNoNode;) {
    const uint32_t frame = graph.execution(at.execution()).frame;
    if (const auto meets = active.find(frame); meets != active.end()) return {.later = meets->second, .earlier = at};
    if (!seen.insert(frame).second) break;
    at = graph.frame(frame).call;
  }
  return {.later = later, .earlier = earlier};
}

}  // namespace culprit
