#include "locate/traced_run.h"

#include <algorithm>
#include <utility>

#include "depend/build_graph.h"
#include "depend/value_chain.h"
#include "locate/branch_counter.h"
#include "locate/executions_in_order.h"
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/own_statements.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Edge;
using depend::EdgeKind;
using depend::Execution;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

namespace {

/// The operations of a statement in one execution of its block.
std::vector<Node> operations_of(const DependenceGraph& graph, Execution execution, uint32_t statement) {
  std::vector<Node> nodes;
  const program::ProgramModel& model = graph.model();
  for (const uint32_t operation : model.operations_of(graph.execution(execution).block)) {
    if (model.operation(operation).statement == statement) nodes.push_back(Node::of(execution, operation));
  }
  return nodes;
}

/// Of the activations that are waiting for `latest` and its own: the innermost one's execution that is in `block`.
std::optional<Execution> active_in(const DependenceGraph& graph, Execution latest, uint32_t block) {
  for (Execution each = latest;;) {
    if (graph.execution(each).block == block) return each;
    const Node call = graph.frame(graph.execution(each).frame).call;
    if (call == depend::kNoNode || call.execution() >= each) return std::nullopt;
    each = call.execution();
  }
}

constexpr Execution kMostAfterMain = 1 << 20;  // of what is done when a program ends
constexpr int64_t kMostAtEnd = 8;              // branches of the end that only one of log and trace has

/// The outcome of a comparison that a branch uses later is a part of its condition.
bool only_compares(const DependenceGraph& graph, Node node) {
  const format::OperationRecord& operation = graph.model().operation(node.operation());
  return operation.kind == OperationKind::kCompute &&
         (operation.flags & (format::kOperationEquals | format::kOperationDiffers | format::kOperationNegates)) != 0;
}

}  // namespace

TracedRun::TracedRun(std::unique_ptr<TemporaryDirectory> folder, const BranchLog& log)
    : folder_(std::move(folder)),
      file_(folder_->path() / "trace"),
      graph_(depend::open_graph(file_)),
      numbers_{.first_instance = log.first_instance, .entries = {}, .turns = log.turns},
      logged_(log.first_instance + log.entries.size() - 1) {
  BranchCounter counter(graph_);
  entered_.assign(graph_.frames(), depend::kNoExecution);
  const std::vector<uint32_t> threads = threads_of_frames(graph_);
  for_each_execution(graph_, [&](Execution each, uint32_t block, uint32_t frame) {
    // Most of a long run's graph is not looked at again.
    if (each % format::kGraphChunkExecutions == 0 && each != 0) {
      graph_.file().release(each / format::kGraphChunkExecutions - 1);
    }
    if (entered_[frame] == depend::kNoExecution) entered_[frame] = each;
    if (threads[frame] >= format::kMostCountedThreads) return;
    if (const Execution branch = counter.begin(each, block, frame); branch != depend::kNoExecution) {
      if (branches_.size() <= threads[frame]) branches_.resize(threads[frame] + size_t{1});
      branches_[threads[frame]].executed.push_back(branch);
      branches_[threads[frame]].decided.push_back(each);
    }
  });
}

Execution TracedRun::execution_of(BranchLog::Place place) const {
  const uint64_t before = branches_before(place.thread);
  if (place.thread >= branches_.size() || place.own <= before) return depend::kNoExecution;
  const std::vector<Execution>& executed = branches_[place.thread].executed;
  return place.own - before > executed.size() ? depend::kNoExecution : executed[place.own - before - 1];
}

bool TracedRun::find_first_branch(const BranchLog& log, uint64_t branches) {
  if (branches_.empty()) return false;
  const uint64_t traced = branches_.front().executed.size();
  // Both ended at the same moment, but what the one still told of a handler or of the end the other may not have.
  const uint64_t logged = log.first_instance + log.entries.size() - 1;
  for (const uint64_t last : {logged, branches}) {
    for (int64_t more = 0; more <= 2 * kMostAtEnd; ++more) {
      const int64_t shift = more % 2 == 0 ? more / 2 : -(more + 1) / 2;
      const uint64_t end = last + static_cast<uint64_t>(shift);
      if (end < traced) continue;
      graph_.set_branches_before(end - traced);
      if (end - traced < logged && !parts_from(log)) return true;
    }
  }
  return false;
}

std::vector<Node> TracedRun::criterion_of(const FailureMoment& moment) const {
  if (moment.statement == program::kNone) return moment.gave_up ? return_of_main() : std::vector<Node>();
  const std::optional<Execution> execution = execution_at(moment);
  return execution ? operations_of(graph_, *execution, moment.statement) : std::vector<Node>();
}

std::vector<Node> TracedRun::return_of_main() const {
  const program::ProgramModel& model = graph_.model();
  const Execution end = graph_.executions();
  for (Execution each = end; each > 0 && end - each < kMostAfterMain; --each) {
    const uint32_t block = graph_.block_of(each - 1);
    const auto operations = model.operations_of(block);
    if (operations.empty() || model.operation(operations.back()).kind != format::OperationKind::kReturn) continue;
    const format::FunctionRecord& function = model.function(model.function_of_block(block));
    if (model.text(function.linkage_name) == "main") return {Node::of(each - 1, operations.back())};
  }
  return {};
}

std::optional<uint64_t> TracedRun::parts_from(const BranchLog& log) const {
  size_t chunk = 0;
  const uint64_t before = graph_.branches_before();
  for (size_t i = before < log.first_instance ? 0 : before - log.first_instance + 1; i < log.entries.size(); ++i) {
    const uint64_t instance = log.first_instance + i;
    const Execution branch = execution_of(log.place_of(instance));
    if (branch == depend::kNoExecution || graph_.block_of(branch) != log.entries[i].block) return instance;
    const size_t in_chunk = branch / format::kGraphChunkExecutions;
    if (in_chunk > chunk) graph_.file().release(std::exchange(chunk, in_chunk));
  }
  return std::nullopt;
}

std::unordered_map<uint64_t, uint32_t> TracedRun::instances_of(
    const std::unordered_map<Execution, uint32_t>& near) const {
  std::unordered_map<uint64_t, uint32_t> instances;
  for (uint64_t instance = graph_.branches_before() + 1; instance <= logged_; ++instance) {
    const auto found = near.find(execution_of(numbers_.place_of(instance)));
    if (found != near.end()) instances.emplace(instance, found->second);
  }
  return instances;
}

Node TracedRun::branch(uint64_t instance) const {
  const Execution execution = instance == 0 ? depend::kNoExecution : execution_of(numbers_.place_of(instance));
  if (execution == depend::kNoExecution) return depend::kNoNode;
  return Node::of(execution, graph_.model().operations_of(graph_.block_of(execution)).back());
}

std::vector<uint32_t> TracedRun::origins_of_condition(uint64_t instance) const {
  const Node node = branch(instance);
  return node == depend::kNoNode ? std::vector<uint32_t>() : statements_of(origins_of(node, false));
}

std::optional<Node> TracedRun::decided_by(Node node) const {
  for (int step = 0; step < kMostControlSteps; ++step) {
    Node control = depend::kNoNode;
    graph_.for_each_edge(node, [&](const Edge& edge) {
      if (edge.kind == EdgeKind::kControl) control = edge.to;
    });
    if (control == depend::kNoNode) return std::nullopt;
    if (kind_of(graph_, control) == OperationKind::kBranch) return control;
    node = control;
  }
  return std::nullopt;
}

std::optional<Node> TracedRun::said_because_of(Node said) const {
  std::optional<Node> branch = decided_by(said);
  while (branch && are_of_one_macro(said, *branch) && origins_of(*branch, false).empty()) branch = decided_by(*branch);
  while (branch && tests_setting(*branch)) {
    const std::optional<Node> outer = decided_by(*branch);
    const uint32_t frame = graph_.execution(branch->execution()).frame;
    if (!outer || graph_.execution(outer->execution()).frame != frame) break;
    branch = outer;
  }
  return branch;
}

bool TracedRun::tests_setting(Node branch) const {
  const std::vector<Node> origins = origins_of(branch, false);
  return !origins.empty() && std::all_of(origins.begin(), origins.end(), [&](Node each) {
    return kind_of(graph_, each) == OperationKind::kStore && sources_of(graph_, each, {OperandRole::kData}).empty() &&
           !decided_by(each);
  });
}

std::vector<Node> TracedRun::origins_of(Node branch, bool given) const {
  std::vector<Node> origins, short_functions, calls;
  const uint32_t frame = graph_.execution(branch.execution()).frame;
  std::vector<Node> open = sources_of(graph_, branch, {OperandRole::kData, OperandRole::kChooses});
  for (size_t next = 0; next < open.size() && next < kMostOfCondition; ++next) {
    const std::vector<Node> chain = depend::value_chain(graph_, open[next]);
    const Node made = chain.back();
    // Where the branch's own function got it from another one.
    const auto call = std::find_if(chain.begin(), chain.end(), [&](Node each) {
      return kind_of(graph_, each) == OperationKind::kCall && graph_.enters_body(each) &&
             graph_.execution(each.execution()).frame == frame && !are_of_one_line(each, branch);
    });
    if (!given && call != chain.end() && *call != made) calls.push_back(*call);
    const std::vector<Node> more = sources_of(graph_, made, {OperandRole::kData, OperandRole::kChooses});
    const bool own = are_of_one_line(made, branch) || (only_compares(graph_, made) && !more.empty());
    if (own || (was_called_from(branch, made) && (given || (!more.empty() && is_short(made))))) {
      open.insert(open.end(), more.begin(), more.end());
      if (!own && !given) short_functions.push_back(made);
    } else if (const Node maker = reads_input(graph_, made) ? last_store(chain, branch) : made;
               maker != depend::kNoNode && !unwritten_variable(graph_.model(), maker.operation())) {
      origins.push_back(maker);
    }
  }
  origins.insert(origins.end(), calls.begin(), calls.end());
  origins.insert(origins.end(), short_functions.begin(), short_functions.end());
  return origins;
}

std::vector<uint32_t> TracedRun::tests_before(Node node, const std::vector<Node>& value) const {
  std::vector<uint32_t> blocks;
  const uint32_t frame = graph_.execution(node.execution()).frame;
  for (int step = 0; step < kMostControlSteps; ++step) {
    const std::optional<Node> branch = decided_by(node);
    if (!branch || graph_.execution(branch->execution()).frame != frame) break;
    if (tests(*branch, value)) blocks.push_back(graph_.execution(branch->execution()).block);
    node = *branch;
  }
  return blocks;
}

std::vector<uint32_t> TracedRun::statements_of(const std::vector<Node>& nodes) const {
  std::vector<uint32_t> statements;
  for (const Node node : nodes) {
    const uint32_t statement = statement_of(node);
    if (std::find(statements.begin(), statements.end(), statement) == statements.end()) {
      statements.push_back(statement);
    }
  }
  return statements;
}

bool TracedRun::tests_what_it_was_given(Node branch) const {
  const Execution entered = entered_[graph_.execution(branch.execution()).frame];
  const std::vector<Node> origins = origins_of(branch, true);
  return !origins.empty() &&
         std::all_of(origins.begin(), origins.end(), [entered](Node each) { return each.execution() < entered; });
}

std::optional<Execution> TracedRun::execution_at(const FailureMoment& moment) const {
  static const std::vector<Execution> kNone;
  const std::vector<Execution>& decided = moment.thread < branches_.size() ? branches_[moment.thread].decided : kNone;
  const uint64_t before = branches_before(moment.thread);
  if (moment.branches < before || moment.branches - before > decided.size()) return std::nullopt;
  const uint64_t branches = moment.branches - before;
  const uint32_t block = graph_.model().block_of_statement(moment.statement);
  const Execution end = branches < decided.size() ? decided[branches] : graph_.executions();
  for (Execution each = branches == 0 ? 0 : decided[branches - 1]; each < end; ++each) {
    if (graph_.thread_of_frame(graph_.execution(each).frame) != moment.thread) continue;
    if (const auto found = active_in(graph_, each, block)) return found;
  }
  return std::nullopt;
}

namespace {

/// What a call of the library returns is another value than what it left in memory.
bool is_from_memory(const DependenceGraph& graph, const std::vector<Node>& chain) {
  return chain.size() > 1 && kind_of(graph, chain.back()) == OperationKind::kCall &&
         kind_of(graph, chain[chain.size() - 2]) == OperationKind::kLoad;
}

}  // namespace

bool TracedRun::tests(Node branch, const std::vector<Node>& value) const {
  std::vector<Node> open = sources_of(graph_, branch, {OperandRole::kData, OperandRole::kChooses});
  for (size_t next = 0; next < open.size() && next < kMostOfCondition; ++next) {
    const std::vector<Node> chain = depend::value_chain(graph_, open[next]);
    const Node source = chain.back();
    if (source == value.back() && is_from_memory(graph_, chain) == is_from_memory(graph_, value)) return true;
    if (!are_of_one_line(source, branch)) continue;
    const std::vector<Node> more = sources_of(graph_, source, {OperandRole::kData, OperandRole::kChooses});
    open.insert(open.end(), more.begin(), more.end());
  }
  return false;
}

bool TracedRun::are_of_one_macro(Node one, Node other) const {
  const program::ProgramModel& model = graph_.model();
  return are_of_one_line(one, other) && statement_of(one) != statement_of(other) &&
         model.statement(statement_of(one)).column == model.statement(statement_of(other)).column;
}

Node TracedRun::last_store(const std::vector<Node>& chain, Node branch) const {
  const auto found = std::find_if(chain.begin(), chain.end(), [&](Node each) {
    return kind_of(graph_, each) == OperationKind::kStore && !was_called_from(branch, each);
  });
  return found == chain.end() ? depend::kNoNode : *found;
}

bool TracedRun::is_short(Node node) const {
  const program::ProgramModel& model = graph_.model();
  return is_short_function(model, model.function_of_statement(statement_of(node)));
}

bool TracedRun::are_of_one_line(Node one, Node other) const {
  const program::ProgramModel& model = graph_.model();
  const uint32_t first = statement_of(one), second = statement_of(other);
  return first == second || (model.function_of_statement(first) == model.function_of_statement(second) &&
                             model.statement(first).line == model.statement(second).line);
}

bool TracedRun::was_called_from(Node branch, Node node) const {
  const uint32_t frame = graph_.execution(branch.execution()).frame;
  while (graph_.execution(node.execution()).frame != frame) {
    const Node call = graph_.frame(graph_.execution(node.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= node.execution()) return false;
    node = call;
  }
  return are_of_one_line(node, branch);
}

}  // namespace culprit
