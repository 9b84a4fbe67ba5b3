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
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/output_writer.h"
#include "locate/own_statements.h"
#include "locate/thin_slice.h"
#include "locate/traced_run.h"
#include "program/external_effects.h"
#include "trace/trace_file.h"
#include "trace/trace_recording.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;

constexpr uint64_t kTracedEnd = 192;  // MiB of events of a run that is too long to be traced altogether

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

/// Of a line of a message the last character: what comes first may be the program's name.
uint64_t telling_byte(const std::string& text, uint64_t line) {
  const size_t end = std::min(text.find('\n', line), text.size());
  return end > line ? end - 1 : line;
}

/// Which byte of those that the graph knows of is byte `byte` of an output; nothing when it is none. What was put out
/// before the trace began is missing at the front.
std::optional<uint64_t> byte_in(const DependenceGraph& graph, const ObservedRun& failing, depend::OutputStream stream,
                                uint64_t byte) {
  const uint64_t known = graph.output_bytes(stream);
  const bool is_output = stream == depend::OutputStream::kStandardOutput;
  const uint64_t all = is_output ? failing.end.output.size() : failing.end.error.size();
  const uint64_t before = !graph.begins_late() || all < known ? 0 : all - known;
  return byte >= before && byte - before < known ? std::optional(byte - before) : std::nullopt;
}

/// Of a statement that failed in a library: the call that did not return. None when the table of library functions
/// does not tell what that does with its arguments, or it is one of C++'s or has a list of arguments: a pointer to an
/// object may be good, and what it finds there bad.
std::vector<Node> call_that_failed(const DependenceGraph& graph, const std::vector<Node>& statement) {
  const Node last = graph.last();
  if (kind_of(graph, last) != format::OperationKind::kCall) return statement;
  // A function of a header may have made the call for the statement.
  const bool is_of_statement = std::find(statement.begin(), statement.end(), last) != statement.end() ||
                               own_statement_at(graph, last) == own_statement_at(graph, statement.front());
  if (!is_of_statement) return statement;
  const std::string_view function = called_symbol(graph, last);
  const auto asked = program::asked_memory(function);
  const bool follows_pointers = function.starts_with("_Z") || (asked && asked->printf_list);
  const bool is_known = function.empty() || (program::is_described(function) && !follows_pointers);
  return is_known ? std::vector<Node>{last} : std::vector<Node>();
}

/// What the program said instead of what is missing in its output.
std::optional<uint64_t> message_instead(const DependenceGraph& graph, const ObservedRun& failing,
                                        const FailureMoment& moment) {
  using depend::OutputStream;
  const auto put_out = [&](OutputStream stream, uint64_t byte) { return graph.output_at(stream, byte).back(); };
  if (!moment.after_missing) return std::nullopt;
  const auto missing = byte_in(graph, failing, OutputStream::kStandardOutput, *moment.after_missing);
  if (!missing) return std::nullopt;
  const Node until = put_out(OutputStream::kStandardOutput, *missing);
  const Node from = *missing == 0 ? depend::kNoNode : put_out(OutputStream::kStandardOutput, *missing - 1);
  const Node lost = graph.output_lost_at(OutputStream::kStandardError);
  for (const uint64_t message : moment.messages) {
    const auto known = byte_in(graph, failing, OutputStream::kStandardError, message);
    if (!known && lost == depend::kNoNode) continue;
    const Node said = known ? put_out(OutputStream::kStandardError, *known) : lost;
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
                                          const FailureMoment& moment, bool only_end, std::string& why_not) {
  auto folder = std::make_unique<TemporaryDirectory>(temporary_place("why"));
  const std::filesystem::path place = folder->path() / "trace";
  if (launch.recording) {
    const recording::NoStreams nowhere;
    try {
      const trace::TraceOrigin origin = origin_of_trace(traced, launch);
      if (only_end) {
        trace::trace_end_of(*launch.recording, place, origin, kTracedEnd << 20, nowhere.surroundings());
      } else {
        trace::trace_recording(*launch.recording, place, origin, nowhere.surroundings());
      }
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
    run = std::make_shared<TracedRun>(std::move(folder), failing.log);
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
  if (graph.begins_late() && !run->find_first_branch(failing.log, failing.branches)) {
    why_not = "the end of the run that was traced is not the end of the failing one";
    return std::nullopt;
  }
  if (const auto instance = run->parts_from(failing.log)) {
    why_not = fmt::format("the traced run goes another way than the failing one at branch instance {}", *instance);
    return std::nullopt;
  }
  // Of a wrong output, what made the very byte; else what the failing statement works with.
  const std::optional<uint64_t> message = message_instead(graph, failing, moment);
  const depend::OutputStream stream = message ? depend::OutputStream::kStandardError : moment.stream;
  const std::optional<uint64_t> output_byte = message ? message : moment.output_byte;
  const bool gave_up = moment.gave_up && output_byte;
  const auto traced_byte = byte_in(graph, failing, stream,
                                   gave_up ? telling_byte(failing.end.error, *output_byte) : output_byte.value_or(0));
  const uint64_t byte = traced_byte.value_or(0);
  const bool byte_is_known = output_byte && traced_byte;
  // How long a message of error(3) or perror(3) is the table of library functions does not tell, but that it came.
  const Node unknown = stream == depend::OutputStream::kStandardError ? graph.output_lost_at(stream) : depend::kNoNode;
  const bool call_is_known = output_byte && !byte_is_known && unknown != depend::kNoNode;
  std::vector<Node> criterion, chain;
  Node said_by = depend::kNoNode;
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
    criterion = graph.output_at(stream, byte);
    said_by = writer_of_output(graph, criterion, [&](uint32_t frame) { return run->entered(frame); });
    if (gave_up) {
      // As of an exception.
      thrown_by = run->said_because_of(said_by);
      if (thrown_by) chain = first_own(graph.model(), run->origins_of(*thrown_by, false));
    } else {
      chain = depend::value_chain_of_output(graph, graph.output_parts(stream, byte));
    }
    if (moment.wrong_length && !message) length_node = length_of_output(graph, criterion.back());
  } else if (call_is_known) {
    criterion = {unknown};
    said_by = formatted_for(graph, unknown);
    thrown_by = run->said_because_of(said_by);
    if (thrown_by) chain = first_own(graph.model(), run->origins_of(*thrown_by, false));
  } else if (const Node branch = run->branch(moment.branch); branch != depend::kNoNode) {
    criterion = {branch};
  } else if (criterion = run->criterion_of(moment); !criterion.empty()) {
    length = negative_length(graph, run->trace(), criterion);
    Node bad = moment.divided ? divisor(graph, criterion) : length ? length->value : depend::kNoNode;
    if (moment.threw) {
      // Nothing is wrong with the exception: it says that something else is.
      thrown_by = run->decided_by(criterion.front());
      if (thrown_by) chain = first_own(graph.model(), run->origins_of(*thrown_by, false));
    } else if (bad == depend::kNoNode && !moment.no_value) {
      const std::vector<Node> failed = moment.in_library ? call_that_failed(graph, criterion) : criterion;
      if (!failed.empty()) bad = bad_value(graph, failed, moment.output_byte.has_value());
    }
    if (bad != depend::kNoNode) chain = depend::value_chain(graph, bad);
    // A status that says what it is meant to say is not what is wrong.
    if (moment.gave_up && !chain.empty() && made_at(graph, chain).origin.how == Origin::kConstant) chain.clear();
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
  std::vector<Node> ends = criterion;
  if (gave_up) {
    const std::vector<Node> ended = run->criterion_of(moment);
    ends.insert(ends.end(), ended.begin(), ended.end());
  }
  static_cast<MeasuredSlice&>(slice) = measure_slice(graph, ends);
  if (moment.statement == program::kNone && moment.gave_up && !output_byte) {
    slice.returned_at = graph.model().operation(criterion.front().operation()).statement;
  }
  slice.near_instances = run->instances_of(slice.near_branches);
  if (length) slice.negative_length = length->bytes;
  if (thrown_by) slice.thrown_by = graph.model().operation(thrown_by->operation()).statement;
  if (call_is_known || (byte_is_known && stream == depend::OutputStream::kStandardError)) slice.message = output_byte;
  if (said_by != depend::kNoNode) {
    slice.writer = graph.model().operation(said_by.operation()).statement;
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
    const bool is_byte = byte_is_known && !slice.value_is_length && !gave_up;
    const bool is_text = is_byte && is_copied(graph.output_parts(stream, byte));
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
  if (!chain.empty() && !byte_is_known && !parent) slice.let_through = run->tests_before(criterion.front(), chain);
  slice.value_is_input = !chain.empty() && reads_input(graph, chain.back());
  const bool said = (gave_up || thrown_by) && said_by != depend::kNoNode;
  if (const auto branch = said ? run->said_because_of(said_by) : run->decided_by(criterion.front())) {
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
