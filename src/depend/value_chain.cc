// Chains are followed by the byte: of a value that is read, stored and passed on as a part of a wider one, what made
// the other parts does not matter.
#include "depend/value_chain.h"

#include <algorithm>
#include <unordered_set>

namespace culprit::depend {
namespace {

using namespace format;

/// A value, or bytes of it.
struct Part {
  Node node = kNoNode;
  ByteRange bytes;
};

bool is_copier(const DependenceGraph& graph, Node node) {
  const OperationKind kind = graph.model().operation(node.operation()).kind;
  return kind == OperationKind::kCopyMemory ||
         (kind == OperationKind::kCall && node.is_transfer() && !graph.enters_body(node));
}

bool defines_memory(const DependenceGraph& graph, Node node) {
  const OperationKind kind = graph.model().operation(node.operation()).kind;
  return kind == OperationKind::kStore || is_copier(graph, node) ||
         (kind == OperationKind::kCall && !graph.enters_body(node));
}

/// Where bytes `wanted` of what was read came from: adds the copies on the way to the chain. Each source that was
/// copied follows its copier in the list, so a copier at its end is itself the origin.
Part through_memory(const DependenceGraph& graph, std::span<const NodeNumber> sources, ByteRange wanted,
                    std::vector<Node>& chain) {
  struct Known {
    Node node;
    ByteRange at;
    ByteRange bytes;
  };
  std::vector<Known> known;
  for (const NodeNumber each : sources) {
    const ByteRange bytes = range_in_source(each, wanted);
    const Node node = bytes.is_empty() ? kNoNode : graph.node_of(each);
    if (node != kNoNode) known.push_back({node, bytes_of_reader(each).common(wanted), bytes});
  }
  const auto copies = [&](size_t each) { return each + 1 < known.size() && is_copier(graph, known[each].node); };
  size_t origin = known.size();
  for (size_t each = 0; each < known.size(); ++each) {
    if (!copies(each) && (origin == known.size() || known[each].node > known[origin].node)) origin = each;
  }
  if (origin == known.size()) return {};
  for (size_t each = 0; each < known.size(); ++each) {
    if (copies(each) && !known[each].at.common(known[origin].at).is_empty()) chain.push_back(known[each].node);
  }
  return {known[origin].node, known[origin].bytes};
}

/// Of a copy of one operand, the bytes that become those of its value; empty when it makes those itself.
ByteRange through_copy(const OperationRecord& record, ByteRange wanted) {
  if (record.detail == kNone) return {};
  const ByteRange common = wanted.common({0, record.bytes});
  if (common.is_empty()) return {0, 0};
  return {common.first + record.detail, common.end + record.detail};
}

/// What the value, or part of one, is a copy of; no node when it was made there. Copies of memory in between are added
/// to the chain.
Part copied_from(const DependenceGraph& graph, Part part, std::vector<Node>& chain) {
  const auto& sections = graph.model().sections();
  const Node node = part.node;
  const OperationRecord& record = sections.operations[node.operation()];
  Part source{.node = kNoNode, .bytes = part.bytes};
  uint32_t operand = record.first_operand;
  switch (record.kind) {
    case OperationKind::kLoad: {
      const auto accesses = graph.model().accesses_of(node.operation());
      if (accesses.empty()) return {};
      return through_memory(graph, graph.memory_parts(node), part.bytes.common({0, accesses.front().bytes}), chain);
    }
    case OperationKind::kCall:
      // A body's return; native code makes its result itself.
      if (!node.is_transfer() && graph.enters_body(node)) {
        graph.for_each_memory_source(node, [&](Node each) { source.node = each; });
      }
      return source;
    case OperationKind::kCopy:
      source.bytes = through_copy(record, part.bytes);
      if (source.bytes.is_empty()) return {};
      break;
    case OperationKind::kCopyMemory:
      // Nobody made what it copied, such as a text of the source: that was chosen with the pointer to it.
      ++operand;
      source.bytes = {};
      break;
    case OperationKind::kStore:
    case OperationKind::kReturn:
    case OperationKind::kPhi:
      break;
    default:
      return {};
  }
  if (operand < sections.operations[node.operation() + 1].first_operand) {
    graph.for_each_source(node, operand, [&](Node each) { source.node = each; });
  }
  return source;
}

/// Whether a chain has a node: most chains are short, and some are as long as a text that was shifted byte by byte.
class Visited {
 public:
  explicit Visited(const std::vector<Node>& chain) : chain_(chain) {}

  bool contains(Node node) {
    if (chain_.size() <= kFew) return std::find(chain_.begin(), chain_.end(), node) != chain_.end();
    for (; noted_ < chain_.size(); ++noted_) nodes_.insert(chain_[noted_].bits);
    return nodes_.contains(node.bits);
  }

 private:
  static constexpr size_t kFew = 64;
  const std::vector<Node>& chain_;
  std::unordered_set<uint64_t> nodes_;
  size_t noted_ = 0;  ///< of the chain, those that are among them
};

void follow(const DependenceGraph& graph, Part at, std::vector<Node>& chain) {
  Visited visited(chain);
  while (at.node != kNoNode && !visited.contains(at.node)) {
    chain.push_back(at.node);
    at = copied_from(graph, at, chain);
  }
}

}  // namespace

std::vector<Node> value_chain(const DependenceGraph& graph, Node criterion) {
  std::vector<Node> chain;
  follow(graph, {.node = criterion, .bytes = {}}, chain);
  return chain;
}

std::vector<Node> value_chain_of_output(const DependenceGraph& graph, std::span<const NodeNumber> made_by) {
  if (made_by.empty()) return {};
  // The call that put it out comes last. What decided which memory that was, is not the value.
  std::vector<NodeNumber> memory, other;
  for (const NodeNumber each : made_by.first(made_by.size() - 1)) {
    const Node node = graph.node_of(each);
    // What chose a text that nobody made, is known by the byte as what made one is.
    const bool by_byte = bytes_of_reader(each) != ByteRange{};
    if (node != kNoNode) (by_byte || defines_memory(graph, node) ? memory : other).push_back(each);
  }
  std::vector<Node> chain{graph.node_of(made_by.back())};
  follow(graph, through_memory(graph, memory.empty() ? other : memory, {0, 1}, chain), chain);
  return chain;
}

}  // namespace culprit::depend
