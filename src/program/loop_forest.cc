// Steensgaard's generalised loop forest ("Sequentializing Program Dependence Graphs for Irreducible Programs",
// MSR-TR-93-14; EPID §III-B): a loop is a strongly connected component; its headers are the blocks entered from
// outside; without the edges that lead from inside the loop to its headers, what is still strongly connected are the
// loops nested in it. The result does not depend on the order in which the graph is walked. Costs edges times nesting
// depth.
#include "program/loop_forest.h"

#include <algorithm>

namespace culprit::program {
namespace {

struct Region {
  std::vector<uint32_t> blocks;                      ///< ascending
  std::vector<std::pair<uint32_t, uint32_t>> edges;  ///< between them; whole graph's block numbers
  std::vector<uint32_t> entered;                     ///< blocks entered from outside by now-removed edges; ascending
  uint32_t parent;
};

class Builder {
 public:
  explicit Builder(const FlowGraph& graph) : graph_(graph), local_(graph.size(), kNoBlock) {
    forest_.innermost.assign(graph.size(), kNoLoop);
  }

  LoopForest build() {
    if (graph_.size() == 0) return std::move(forest_);
    Region whole{.blocks = reverse_postorder(graph_, 0), .edges = {}, .entered = {0}, .parent = kNoLoop};
    std::sort(whole.blocks.begin(), whole.blocks.end());
    for (const uint32_t block : whole.blocks) {
      for (const uint32_t target : graph_.successors(block)) whole.edges.emplace_back(block, target);
    }
    pending_.push_back(std::move(whole));
    // First in, first out, so that a parent's index is below its children's.
    for (size_t next = 0; next < pending_.size(); ++next) {
      const Region region = std::move(pending_[next]);
      find_loops_in(region);
    }
    return std::move(forest_);
  }

 private:
  FlowGraph local_graph(const Region& region, uint32_t without_edges_to = kNoBlock) {
    for (uint32_t each = 0; each < region.blocks.size(); ++each) local_[region.blocks[each]] = each;
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (const auto& [from, to] : region.edges) {
      if (to != without_edges_to) edges.emplace_back(local_[from], local_[to]);
    }
    return make_graph(static_cast<uint32_t>(region.blocks.size()), edges);
  }

  void find_loops_in(const Region& region) {
    const Components components = strongly_connected_components(local_graph(region));
    std::vector<Region> parts(components.count);
    const auto part_of = [&](uint32_t block) -> Region& { return parts[components.component[local_[block]]]; };
    for (const uint32_t block : region.blocks) part_of(block).blocks.push_back(block);
    for (const uint32_t block : region.entered) part_of(block).entered.push_back(block);
    for (const auto& [from, to] : region.edges) {
      Region& part = part_of(to);
      if (&part_of(from) == &part) {
        part.edges.emplace_back(from, to);
      } else {
        part.entered.push_back(to);
      }
    }
    std::erase_if(parts, [](const Region& part) { return part.edges.empty(); });
    std::sort(parts.begin(), parts.end(), [](const Region& a, const Region& b) { return a.blocks < b.blocks; });
    for (Region& part : parts) add_loop(part, region.parent);
  }

  void add_loop(Region& part, uint32_t parent) {
    std::sort(part.entered.begin(), part.entered.end());
    part.entered.erase(std::unique(part.entered.begin(), part.entered.end()), part.entered.end());
    const auto index = static_cast<uint32_t>(forest_.loops.size());
    forest_.loops.push_back(
        {.parent = parent, .headers = part.entered, .naturalising_header = naturalising_header(part)});
    for (const uint32_t block : part.blocks) forest_.innermost[block] = index;
    Region body = std::move(part);
    body.parent = index;
    const auto is_header = [&](uint32_t block) {
      return std::binary_search(body.entered.begin(), body.entered.end(), block);
    };
    std::erase_if(body.edges, [&](const auto& edge) { return is_header(edge.second); });
    pending_.push_back(std::move(body));
  }

  std::optional<uint32_t> naturalising_header(const Region& loop) {
    if (loop.entered.size() == 1) return loop.entered.front();
    for (const uint32_t candidate : loop.entered) {
      const FlowGraph cut = local_graph(loop, candidate);
      const Components components = strongly_connected_components(cut);
      std::vector<uint32_t> members(components.count, 0);
      for (const uint32_t component : components.component) ++members[component];
      const bool breaks_all = std::none_of(loop.entered.begin(), loop.entered.end(), [&](uint32_t header) {
        const uint32_t at = local_[header];
        const auto next = cut.successors(at);
        return members[components.component[at]] > 1 || std::find(next.begin(), next.end(), at) != next.end();
      });
      if (breaks_all) return candidate;
    }
    return std::nullopt;
  }

  const FlowGraph& graph_;
  std::vector<uint32_t> local_;  ///< number within the region being looked at
  std::vector<Region> pending_;
  LoopForest forest_;
};

}  // namespace

LoopForest loop_forest(const FlowGraph& graph) {
  return Builder(graph).build();
}

}  // namespace culprit::program
