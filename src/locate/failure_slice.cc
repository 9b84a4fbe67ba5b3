#include "locate/failure_slice.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "depend/build_graph.h"
#include "depend/byte_range.h"
#include "depend/value_chain.h"
#include "format/trace_format.h"
#include "locate/bad_value.h"
#include "locate/branch_counter.h"
#include "locate/executions_in_order.h"
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/output_writer.h"
#include "locate/own_statements.h"
#include "locate/thin_slice.h"
#include "trace/trace_file.h"
#include "trace/trace_recording.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Edge;
using depend::EdgeKind;
using depend::Execution;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

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

void add_bad_value(const DependenceGraph& graph, Node made, std::vector<UnwrittenVariable>& unwritten) {
  const auto variable = unwritten_variable(graph.model(), made.operation());
  if (!variable) return;
  std::erase_if(unwritten, [&](const UnwrittenVariable& each) { return each.variable == *variable; });
  unwritten.insert(unwritten.begin(), {.variable = *variable, .begins = made, .is_bad_value = true});
}

/// A statement of a library's header says nothing to who calls it: then that call.
uint32_t own_caller(const DependenceGraph& graph, Node node, uint32_t statement) {
  if (is_own_statement(graph.model(), statement)) return statement;
  const uint32_t own = own_statement(graph.model(), active_statements(graph, node));
  return own == program::kNone ? statement : own;
}

uint32_t own_statement_at(const DependenceGraph& graph, Node node) {
  return own_caller(graph, node, graph.model().operation(node.operation()).statement);
}

class TracedRun final : public RunDependences {
 public:
  /// Takes the folder's trace.
  explicit TracedRun(std::unique_ptr<TemporaryDirectory> folder)
      : folder_(std::move(folder)), file_(folder_->path() / "trace"), graph_(depend::open_graph(file_)) {
    BranchCounter counter(graph_);
    entered_.assign(graph_.frames(), depend::kNoExecution);
    const std::vector<bool> is_main = frames_of_main_thread(graph_);
    for_each_execution(graph_, [&](Execution each, uint32_t block, uint32_t frame) {
      // Most of a long run's graph is not looked at again.
      if (each % format::kGraphChunkExecutions == 0 && each != 0) {
        graph_.file().release(each / format::kGraphChunkExecutions - 1);
      }
      if (entered_[frame] == depend::kNoExecution) entered_[frame] = each;
      if (!is_main[frame]) return;
      if (const Execution branch = counter.begin(each, block, frame); branch != depend::kNoExecution) {
        branches_.push_back(branch);
        decided_.push_back(each);
      }
    });
  }

  const DependenceGraph& graph() const override { return graph_; }
  const trace::TraceFile& trace() const override { return file_; }

  /// The first execution of an activation.
  Execution entered(uint32_t frame) const { return entered_[frame]; }

  /// The operations of the failing statement; none when it is not in the trace.
  std::vector<Node> criterion_of(const FailureMoment& moment) const {
    if (moment.statement == program::kNone) return {};
    const std::optional<Execution> execution = execution_at(moment);
    return execution ? operations_of(graph_, *execution, moment.statement) : std::vector<Node>();
  }

  /// The first branch instance of the log at which the traced run was elsewhere; nothing when there is none.
  std::optional<uint64_t> parts_from(const ControlBlock::BranchLog& log) const {
    size_t chunk = 0;
    for (size_t i = 0; i < log.entries.size(); ++i) {
      const uint64_t instance = log.first_instance + i;
      if (instance > branches_.size()) return instance;
      const Execution branch = branches_[instance - 1];
      if (graph_.block_of(branch) != log.entries[i].block) return instance;
      const size_t in_chunk = branch / format::kGraphChunkExecutions;
      if (in_chunk > chunk) graph_.file().release(std::exchange(chunk, in_chunk));
    }
    return std::nullopt;
  }

  /// By instance of the main thread; the others have none.
  std::unordered_map<uint64_t, uint32_t> instances_of(const std::unordered_map<Execution, uint32_t>& near) const {
    std::unordered_map<uint64_t, uint32_t> instances;
    for (size_t each = 0; each < branches_.size(); ++each) {
      const auto found = near.find(branches_[each]);
      if (found != near.end()) instances.emplace(each + 1, found->second);
    }
    return instances;
  }

  Node branch(uint64_t instance) const override {
    if (instance == 0 || instance > branches_.size()) return depend::kNoNode;
    const Execution execution = branches_[instance - 1];
    return Node::of(execution, graph_.model().operations_of(graph_.block_of(execution)).back());
  }

  std::vector<uint32_t> origins_of_condition(uint64_t instance) const override {
    const Node node = branch(instance);
    return node == depend::kNoNode ? std::vector<uint32_t>() : statements_of(origins_of(node, false));
  }

  /// The branch that decided that `node` was executed, be it in a caller.
  std::optional<Node> decided_by(Node node) const {
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

  /// What made the values that a branch tested, nearest first. What the branch's own line does only asks, and so does a
  /// short function, or where `given` any function, that it calls; of what asks, the short functions come last, after
  /// the calls by which the branch's function got what others made. Reads of input make nothing; what put their values
  /// where they were tested does.
  std::vector<Node> origins_of(Node branch, bool given) const {
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
      const bool own = are_of_one_line(made, branch);
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

  /// The blocks of the branches that decided in its activation that `node` was executed, and that tested a copy of what
  /// `made` made; nearest first.
  std::vector<uint32_t> tests_before(Node node, Node made) const {
    std::vector<uint32_t> blocks;
    const uint32_t frame = graph_.execution(node.execution()).frame;
    for (int step = 0; step < kMostControlSteps; ++step) {
      const std::optional<Node> branch = decided_by(node);
      if (!branch || graph_.execution(branch->execution()).frame != frame) break;
      if (tests(*branch, made)) blocks.push_back(graph_.execution(branch->execution()).block);
      node = *branch;
    }
    return blocks;
  }

  /// Each once.
  std::vector<uint32_t> statements_of(const std::vector<Node>& nodes) const {
    std::vector<uint32_t> statements;
    for (const Node node : nodes) {
      const uint32_t statement = statement_of(node);
      if (std::find(statements.begin(), statements.end(), statement) == statements.end()) {
        statements.push_back(statement);
      }
    }
    return statements;
  }

  /// Whether everything that a branch tested had been made when its activation began.
  bool tests_what_it_was_given(Node branch) const {
    const Execution entered = entered_[graph_.execution(branch.execution()).frame];
    const std::vector<Node> origins = origins_of(branch, true);
    return !origins.empty() &&
           std::all_of(origins.begin(), origins.end(), [entered](Node each) { return each.execution() < entered; });
  }

 private:
  /// The execution of the statement's block that was going on after so many branch instances of the main thread. What
  /// began last need not be it: it may have returned. (A trace goes on behind a crash, up to where it would have told
  /// something, so the first that fits is taken.)
  std::optional<Execution> execution_at(const FailureMoment& moment) const {
    if (moment.branches > decided_.size()) return std::nullopt;
    const uint32_t block = graph_.model().block_of_statement(moment.statement);
    const Execution end = moment.branches < decided_.size() ? decided_[moment.branches] : graph_.executions();
    for (Execution each = moment.branches == 0 ? 0 : decided_[moment.branches - 1]; each < end; ++each) {
      if (graph_.thread_of_frame(graph_.execution(each).frame) != 0) continue;
      if (const auto found = active_in(graph_, each, block)) return found;
    }
    return std::nullopt;
  }

  /// Whether a branch's condition, as its own line computes it, is about a copy of what `made` made.
  bool tests(Node branch, Node made) const {
    std::vector<Node> open = sources_of(graph_, branch, {OperandRole::kData, OperandRole::kChooses});
    for (size_t next = 0; next < open.size() && next < kMostOfCondition; ++next) {
      const Node source = depend::value_chain(graph_, open[next]).back();
      if (source == made) return true;
      if (!are_of_one_line(source, branch)) continue;
      const std::vector<Node> more = sources_of(graph_, source, {OperandRole::kData, OperandRole::kChooses});
      open.insert(open.end(), more.begin(), more.end());
    }
    return false;
  }

  /// Other than for a call from the branch's line.
  Node last_store(const std::vector<Node>& chain, Node branch) const {
    const auto found = std::find_if(chain.begin(), chain.end(), [&](Node each) {
      return kind_of(graph_, each) == OperationKind::kStore && !was_called_from(branch, each);
    });
    return found == chain.end() ? depend::kNoNode : *found;
  }

  bool is_short(Node node) const {
    const program::ProgramModel& model = graph_.model();
    return is_short_function(model, model.function_of_statement(statement_of(node)));
  }

  uint32_t statement_of(Node node) const { return graph_.model().operation(node.operation()).statement; }

  /// Of one function, that is.
  bool are_of_one_line(Node one, Node other) const {
    const program::ProgramModel& model = graph_.model();
    const uint32_t first = statement_of(one), second = statement_of(other);
    return first == second || (model.function_of_statement(first) == model.function_of_statement(second) &&
                               model.statement(first).line == model.statement(second).line);
  }

  /// Whether `node` was executed by a call from the line of `branch`.
  bool was_called_from(Node branch, Node node) const {
    const uint32_t frame = graph_.execution(branch.execution()).frame;
    while (graph_.execution(node.execution()).frame != frame) {
      const Node call = graph_.frame(graph_.execution(node.execution()).frame).call;
      if (call == depend::kNoNode || call.execution() >= node.execution()) return false;
      node = call;
    }
    return are_of_one_line(node, branch);
  }

  static constexpr size_t kMostOfCondition = 32;
  static constexpr int kMostControlSteps = 8;
  std::unique_ptr<TemporaryDirectory> folder_;
  trace::TraceFile file_;
  DependenceGraph graph_;
  std::vector<Execution> entered_;   // by frame, its first
  std::vector<Execution> branches_;  // of the main thread, by instance
  std::vector<Execution> decided_;   // by instance, what its branch led to
};

}  // namespace

namespace {

/// Whether a traced run ended as the failing one.
bool ended_so(const CommandResult& ended, const ObservedRun& failing) {
  const int status = failing.end.wait_status;
  const bool same_end = WIFSIGNALED(status) ? ended.end.signal == WTERMSIG(status)
                                            : ended.end.signal == 0 && ended.end.exit_status == WEXITSTATUS(status);
  return same_end && ended.output == failing.end.output;
}

/// Whether a byte of an output was put out as it stood in memory: who made it is known by the byte.
bool is_copied(const std::vector<depend::NodeNumber>& made_by) {
  return std::any_of(made_by.begin(), made_by.end(),
                     [](depend::NodeNumber each) { return depend::bytes_of_reader(each) != depend::ByteRange{}; });
}

/// The first that a statement of the program's own made, alone.
std::vector<Node> first_own(const program::ProgramModel& model, const std::vector<Node>& nodes) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&model](Node each) {
    return is_own_statement(model, model.operation(each.operation()).statement);
  });
  return found == nodes.end() ? std::vector<Node>() : std::vector<Node>{*found};
}

/// What the program said instead of what is missing in its output.
std::optional<uint64_t> message_instead(const DependenceGraph& graph, const FailureMoment& moment) {
  using depend::OutputStream;
  const auto put_out = [&](OutputStream stream, uint64_t byte) { return graph.output_at(stream, byte).back(); };
  if (!moment.after_missing || *moment.after_missing >= graph.output_bytes(OutputStream::kStandardOutput))
    return std::nullopt;
  const Node until = put_out(OutputStream::kStandardOutput, *moment.after_missing);
  const Node from =
      *moment.after_missing == 0 ? depend::kNoNode : put_out(OutputStream::kStandardOutput, *moment.after_missing - 1);
  const Node lost = graph.output_lost_at(OutputStream::kStandardError);
  for (const uint64_t message : moment.messages) {
    const bool is_known = message < graph.output_bytes(OutputStream::kStandardError);
    if (!is_known && lost == depend::kNoNode) continue;
    const Node said = is_known ? put_out(OutputStream::kStandardError, message) : lost;
    if ((from == depend::kNoNode || is_before(graph, from, said)) && is_before(graph, said, until)) return message;
  }
  return std::nullopt;
}

/// What made the byte that a child was given, as of DependenceGraph::output_at, the start of the child being the call.
/// Where it is not known which byte that was, the call alone.
std::vector<Node> made_for_child(const TracedRun& run, const StartOfChild& start, const ParentAtStart& parent) {
  std::vector<Node> made_by;
  if (parent.source) {
    depend::ask_before(run.trace(), start.call, [&](depend::DefinitionQuery& query) {
      for (const depend::NodeNumber each : query.memory(*parent.source, 1)) {
        const Node node = run.graph().node_of(each);
        if (node != depend::kNoNode) made_by.push_back(node);
      }
    });
  }
  made_by.push_back(start.call.as_transfer());
  return made_by;
}

}  // namespace

std::optional<FailureSlice> slice_failure(const Launch& launch, const TracedProgram& traced, const ObservedRun& failing,
                                          const FailureMoment& moment, std::string& why_not) {
  auto folder = std::make_unique<TemporaryDirectory>(temporary_place("why"));
  const std::filesystem::path place = folder->path() / "trace";
  if (launch.recording) {
    const recording::NoStreams nowhere;
    try {
      trace::trace_recording(*launch.recording, place, origin_of_trace(traced, launch), nowhere.surroundings());
    } catch (const UserError& error) {
      why_not = error.what();
      return std::nullopt;
    }
  } else if (!ended_so(trace_program(traced, launch, place), failing)) {
    why_not = "the traced run ended otherwise than the failing one";
    return std::nullopt;
  }
  std::shared_ptr<TracedRun> run;
  try {
    run = std::make_shared<TracedRun>(std::move(folder));
  } catch (const CorruptData& error) {
    // A program that writes where it should not may hit what the trace is written from.
    why_not = error.what();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    // Copies of garbage length by what went on after the damage was done.
    why_not = "its dependences do not fit in memory";
    return std::nullopt;
  }
  const DependenceGraph& graph = run->graph();
  if (const auto instance = run->parts_from(failing.log)) {
    why_not = fmt::format("the traced run goes another way than the failing one at branch instance {}", *instance);
    return std::nullopt;
  }
  // Of a wrong output, what made the very byte; else what the failing statement works with.
  const std::optional<uint64_t> message = message_instead(graph, moment);
  const depend::OutputStream stream = message ? depend::OutputStream::kStandardError : moment.stream;
  const std::optional<uint64_t> output_byte = message ? message : moment.output_byte;
  const bool byte_is_known = output_byte && *output_byte < graph.output_bytes(stream);
  // How long a message of error(3) or perror(3) is the table of library functions does not tell, but that it came.
  const Node unknown = stream == depend::OutputStream::kStandardError ? graph.output_lost_at(stream) : depend::kNoNode;
  const bool call_is_known = output_byte && !byte_is_known && unknown != depend::kNoNode;
  std::vector<Node> criterion, chain;
  std::optional<NegativeLength> length;
  Node length_node = depend::kNoNode;
  std::optional<Node> thrown_by;
  std::optional<ParentAtStart> parent;
  if (moment.child) {
    const auto start = start_of_child(run->trace(), graph, moment.child->started);
    if (start) parent = parent_at_start(launch, graph.model(), *start, *moment.child);
    if (!parent) {
      why_not = "another process wrote the wrong byte, one that was forked and not started with words of its own";
      return std::nullopt;
    }
    criterion = made_for_child(*run, *start, *parent);
    if (parent->source) {
      std::vector<depend::NodeNumber> made_by;
      for (const Node node : criterion) made_by.push_back(graph.number_of(node));
      chain = depend::value_chain_of_output(graph, made_by);
    }
  } else if (byte_is_known) {
    criterion = graph.output_at(stream, *output_byte);
    chain = depend::value_chain_of_output(graph, graph.output_parts(stream, *output_byte));
    if (moment.wrong_length && !message) length_node = length_of_output(graph, criterion.back());
  } else if (const Node branch = run->branch(moment.branch); branch != depend::kNoNode) {
    criterion = {branch};
  } else if (call_is_known) {
    criterion = {unknown};
  } else if (criterion = run->criterion_of(moment); !criterion.empty()) {
    length = negative_length(graph, run->trace(), criterion);
    Node bad = moment.divided ? divisor(graph, criterion) : length ? length->value : depend::kNoNode;
    if (moment.threw) {
      // Nothing is wrong with the exception: it says that something else is.
      thrown_by = run->decided_by(criterion.front());
      if (thrown_by) chain = first_own(graph.model(), run->origins_of(*thrown_by, false));
    } else if (bad == depend::kNoNode) {
      bad = bad_value(graph, criterion, moment.output_byte.has_value());
    }
    if (bad != depend::kNoNode) chain = depend::value_chain(graph, bad);
  }
  if (criterion.empty()) {
    why_not = "the failing statement is not in the trace";
    return std::nullopt;
  }
  FailureSlice slice;
  if (length_node != depend::kNoNode) {
    criterion.insert(criterion.begin(), length_node);
    // A byte that is only handed on as the source, or the input, has it is not what is wrong.
    slice.value_is_length = chain.empty() || made_at(graph, chain).origin.how != Origin::kComputed;
    if (slice.value_is_length) chain = depend::value_chain(graph, length_node);
  }
  static_cast<MeasuredSlice&>(slice) = measure_slice(graph, criterion);
  slice.near_instances = run->instances_of(slice.near_branches);
  if (length) slice.negative_length = length->bytes;
  if (thrown_by) slice.thrown_by = graph.model().operation(thrown_by->operation()).statement;
  if (call_is_known || (byte_is_known && stream == depend::OutputStream::kStandardError)) slice.message = output_byte;
  if (byte_is_known || call_is_known) {
    slice.writer = writer_of_output(graph, criterion, [&](uint32_t frame) { return run->entered(frame); });
    slice.put_out_at = active_statements(graph, criterion.back());
  }
  for (const Node node : chain) {
    const uint32_t statement = own_statement_at(graph, node);
    if (slice.value_chain.empty() || slice.value_chain.back() != statement) slice.value_chain.push_back(statement);
  }
  if (!chain.empty()) {
    slice.value_made = chain.back();
    add_bad_value(graph, chain.back(), slice.unwritten);
    slice.computed_from = computed_from(graph, chain.back());
    const bool is_byte = byte_is_known && !slice.value_is_length;
    const bool is_text = is_byte && is_copied(graph.output_parts(stream, *output_byte));
    ValuePath path =
        value_path(graph, chain, is_byte || parent ? std::span<const Node>(criterion) : std::span<const Node>(),
                   is_text, [&](uint32_t frame) { return run->entered(frame); });
    slice.path = std::move(path.steps);
    slice.origin = path.origin;
    slice.origin->statement = own_caller(graph, path.made, path.origin.statement);
    if (const auto branch = run->decided_by(path.made)) {
      slice.origin_decided_by = run->statements_of({*branch});
      const std::vector<uint32_t> tested = run->statements_of(run->origins_of(*branch, false));
      slice.origin_decided_by.insert(slice.origin_decided_by.end(), tested.begin(), tested.end());
    }
  }
  if (!chain.empty() && !byte_is_known && !parent)
    slice.let_through = run->tests_before(criterion.front(), chain.back());
  slice.value_is_input = !chain.empty() && reads_input(graph, chain.back());
  if (const auto branch = run->decided_by(criterion.front())) {
    slice.decided_on = run->statements_of(run->origins_of(*branch, false));
    slice.decided_by_caller = run->tests_what_it_was_given(*branch);
  }
  slice.parent = std::move(parent);
  if (byte_is_known || parent) slice.failed.put_out_by = criterion.back();
  slice.failed.nodes = std::move(criterion);
  slice.run = run;
  return slice;
}

}  // namespace culprit
