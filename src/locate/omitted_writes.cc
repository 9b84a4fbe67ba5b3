// What a branch would have had written on its other side is known from the program model: the stores of the blocks that
// depend on that side, and of the functions called there. Of what the failure depended on, the nearest value counts
// that was read after the branch from memory which one of these stores means, and which was last written before the
// branch.
//
// Which memory a store would have meant is plain for variables. Of a store through a pointer it is known where the
// pointer is a variable of the branch's activation or was passed from there: then the object is the one that the same
// pointer made (pointer_terms.h). Weighed: running the program with the branch switched and comparing memory, which
// needs addresses of all that the failure used; stores through pointers that are themselves in memory are what that
// would add. That a write is found here proves nothing; the altered run proved that the branch matters.
#include "locate/omitted_writes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "locate/active_calls.h"
#include "locate/graph_nodes.h"
#include "locate/pointer_terms.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::AccessRecord;
using format::OperandRole;
using format::OperationKind;
using format::PlaceKind;

constexpr int kMostCalls = 3;                   // that lie in each other
constexpr size_t kMostUses = 100'000;           // nodes, nearest to the failure first
constexpr size_t kMostWrites = 500;             // of the other side
constexpr Execution kMostLookedAt = 2'000'000;  // block executions of the branch's activation and its callees

/// A store that was not executed. `term` is there where it goes through a pointer.
struct Write {
  uint32_t operation;
  AccessRecord access;
  std::optional<PointerTerm> term;
};

/// The blocks of the edge's function that are executed only because of it.
std::vector<uint32_t> blocks_behind(const program::ProgramModel& model, uint32_t edge) {
  const uint32_t source = model.source_of_edge(edge);
  std::vector<uint32_t> blocks;
  std::unordered_set<uint32_t> known;
  const auto depends = [&](uint32_t block) {
    const auto edges = model.dependences_of(block);
    return std::any_of(edges.begin(), edges.end(), [&](const auto& each) {
      return each.edge == edge || known.contains(model.source_of_edge(each.edge));
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (const uint32_t block : model.blocks_of(model.function_of_block(source))) {
      if (block == source || known.contains(block) || !depends(block)) continue;
      known.insert(block);
      blocks.push_back(block);
      more = true;
    }
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

/// Whether the model tells where memory is only by a pointer or an index that the program had at the time.
bool is_through_pointer(const program::ProgramModel& model, const AccessRecord& access) {
  if (access.place == PlaceKind::kFrame) {
    return model.sections().bases[access.value].private_offset == format::kValueBase;
  }
  return access.place == PlaceKind::kRecorded || access.place == PlaceKind::kIndexed;
}

uint32_t address_operand(const program::ProgramModel& model, uint32_t operation) {
  uint32_t operand = model.operation(operation).first_operand;
  for (const format::OperandRecord& each : model.operands_of(operation)) {
    if (each.role == OperandRole::kAddress) return operand;
    ++operand;
  }
  return program::kNone;
}

bool writes_cell(const program::ProgramModel& model, uint32_t operation, uint32_t cell) {
  const auto accesses = model.accesses_of(operation);
  return std::any_of(accesses.begin(), accesses.end(), [cell](const AccessRecord& each) {
    return each.place == PlaceKind::kCells && (each.flags & format::kAccessWrites) != 0 && each.value <= cell &&
           cell < each.value + each.cells;
  });
}

class OtherSide {
 public:
  OtherSide(const DependenceGraph& graph, Node branch, uint32_t edge)
      : graph_(graph), model_(graph.model()), branch_(branch), blocks_(blocks_behind(model_, edge)) {
    const Unexecuted values{.variable = [this](uint32_t cell) { return variable(cell); },
                            .argument = [this](uint32_t number) { return argument_of_frame(number); }};
    for (const uint32_t block : blocks_) add_writes(block, values, true, 0);
  }

  const std::vector<Write>& writes() const { return writes_; }

 private:
  /// A variable of the branch's activation, as it was at the branch; nothing when the other side changes it.
  std::optional<PointerTerm> variable(uint32_t cell) {
    const auto [known, fresh] = variables_.try_emplace(cell);
    if (!fresh) return known->second;
    for (const uint32_t block : blocks_) {
      for (const uint32_t operation : model_.operations_of(block)) {
        if (writes_cell(model_, operation, cell)) return std::nullopt;
      }
    }
    const uint32_t frame = graph_.execution(branch_.execution()).frame;
    const Execution end = branch_.execution() - std::min(branch_.execution(), kMostLookedAt);
    for (Execution each = branch_.execution() + 1; each-- > end;) {
      const depend::BlockExecution execution = graph_.execution(each);
      if (execution.frame != frame) continue;
      const program::Indices operations = model_.operations_of(execution.block);
      for (uint32_t operation = operations.back() + 1; operation-- > operations.front();) {
        if (!writes_cell(model_, operation, cell)) continue;
        if (model_.operation(operation).kind != OperationKind::kStore) return std::nullopt;
        const uint32_t stored = model_.operation(operation).first_operand;
        return variables_[cell] = term_of_executed(graph_, Node::of(each, operation), stored);
      }
    }
    return std::nullopt;
  }

  /// Variables of the branch's function hold its arguments.
  static std::optional<PointerTerm> argument_of_frame(uint32_t) { return std::nullopt; }

  /// A variable of a function that was not called: what it was passed, if it is a parameter that never changes.
  std::optional<uint32_t> parameter(uint32_t function, uint32_t cell) const {
    std::optional<uint32_t> argument;
    for (const uint32_t block : model_.blocks_of(function)) {
      for (const uint32_t operation : model_.operations_of(block)) {
        if (!writes_cell(model_, operation, cell)) continue;
        const auto operands = model_.operands_of(operation);
        if (argument || operands.empty() || operands.front().kind != format::OperandKind::kArgument)
          return std::nullopt;
        argument = operands.front().value;
      }
    }
    return argument;
  }

  void add_writes(uint32_t block, const Unexecuted& values, bool own, int depth) {
    for (const uint32_t operation : model_.operations_of(block)) {
      if (writes_.size() >= kMostWrites) return;
      for (const AccessRecord& access : model_.accesses_of(operation)) {
        if ((access.flags & format::kAccessWrites) != 0) add_write(operation, access, values, own);
      }
      if (model_.operation(operation).kind == OperationKind::kCall && depth < kMostCalls) {
        add_writes_of_callee(operation, values, depth + 1);
      }
    }
  }

  void add_write(uint32_t operation, const AccessRecord& access, const Unexecuted& values, bool own) {
    if (is_through_pointer(model_, access)) {
      const uint32_t operand = address_operand(model_, operation);
      if (operand == program::kNone) return;
      if (auto term = term_of_unexecuted(graph_, operand, values)) {
        writes_.push_back({operation, access, std::move(term)});
      }
    } else if (own || access.place == PlaceKind::kGlobal) {
      writes_.push_back({operation, access, std::nullopt});
    }
  }

  void add_writes_of_callee(uint32_t call, const Unexecuted& values, int depth) {
    const uint32_t callee = model_.call(model_.operation(call).detail).callee;
    if (callee == program::kNone || model_.blocks_of(callee).empty() || !called_.insert(callee).second) return;
    const uint32_t first = model_.operation(call).first_operand;
    const size_t count = model_.operands_of(call).size();
    Unexecuted inner;
    inner.argument = [this, &values, first, count](uint32_t number) -> std::optional<PointerTerm> {
      return number < count ? term_of_unexecuted(graph_, first + number, values) : std::nullopt;
    };
    inner.variable = [this, &inner, callee](uint32_t cell) -> std::optional<PointerTerm> {
      const auto argument = parameter(callee, cell);
      return argument ? inner.argument(*argument) : std::nullopt;
    };
    for (const uint32_t block : model_.blocks_of(callee)) add_writes(block, inner, false, depth);
  }

  const DependenceGraph& graph_;
  const program::ProgramModel& model_;
  Node branch_;
  std::vector<uint32_t> blocks_;
  std::unordered_map<uint32_t, std::optional<PointerTerm>> variables_;  // by cell
  std::unordered_set<uint32_t> called_;                                 // functions
  std::vector<Write> writes_;
};

bool overlap(int64_t one, uint64_t one_size, int64_t other, uint64_t other_size) {
  return one < other + static_cast<int64_t>(other_size) && other < one + static_cast<int64_t>(one_size);
}

/// Whether a write would have meant memory that `access` of `node` reads.
bool means_same(const DependenceGraph& graph, const Write& write, Node node, const AccessRecord& access, uint32_t frame,
                const std::optional<PointerTerm>& term) {
  if (write.term) return term && write.access.bytes == access.bytes && may_be_same(*write.term, *term);
  if (write.access.place != access.place || is_through_pointer(graph.model(), access)) return false;
  const bool same_frame = graph.execution(node.execution()).frame == frame;
  switch (access.place) {
    case PlaceKind::kCells:
      return same_frame && overlap(write.access.value, write.access.cells, access.value, access.cells);
    case PlaceKind::kFrame:
      return same_frame && write.access.value == access.value &&
             overlap(write.access.offset, write.access.bytes, access.offset, access.bytes);
    case PlaceKind::kGlobal:
      return write.access.value == access.value &&
             overlap(write.access.offset, write.access.bytes, access.offset, access.bytes);
    default:
      return false;
  }
}

/// Whether all that a node reads of memory was written before.
bool reads_older(const DependenceGraph& graph, Node node, const ActiveCalls& moment) {
  bool older = true;
  graph.for_each_memory_source(node, [&](Node source) { older = older && moment.is_before(source); });
  return older;
}

}  // namespace

std::optional<OmittedWrite> omitted_write(const DependenceGraph& graph, const DependenceSearch& search, Node branch,
                                          uint32_t other_edge) {
  const program::ProgramModel& model = graph.model();
  const OtherSide side(graph, branch, other_edge);
  if (side.writes().empty()) return std::nullopt;
  const bool pointers =
      std::any_of(side.writes().begin(), side.writes().end(), [](const Write& each) { return each.term; });
  const uint32_t frame = graph.execution(branch.execution()).frame;
  const ActiveCalls moment(graph, branch);
  std::optional<OmittedWrite> found;
  size_t looked_at = 0;
  search.for_each([&](Node node) {
    if (++looked_at > kMostUses) return false;
    if (node.is_transfer() || moment.is_before(node)) return true;
    for (const AccessRecord& access : model.accesses_of(node.operation())) {
      if ((access.flags & format::kAccessReads) == 0 || !reads_older(graph, node, moment)) continue;
      std::optional<PointerTerm> term;
      if (pointers && is_through_pointer(model, access)) {
        const uint32_t operand = address_operand(model, node.operation());
        if (operand != program::kNone) term = term_of_executed(graph, node, operand);
      }
      for (const Write& write : side.writes()) {
        if (!means_same(graph, write, node, access, frame, term)) continue;
        found = {.statement = model.operation(write.operation).statement, .use = node};
        return false;
      }
    }
    return true;
  });
  return found;
}

}  // namespace culprit
