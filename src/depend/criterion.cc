#include "depend/criterion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "depend/build_graph.h"
#include "depend/variable_bounds.h"

namespace culprit::depend {
namespace {

using namespace format;
using program::ProgramModel;

/// Where a variable lies, as accesses name it.
struct VariablePlace {
  PlaceKind kind = PlaceKind::kConstant;
  uint32_t base = kNone;  ///< kFrame: BaseRecord; kGlobal: anchor
  uint64_t offset = 0;
  uint64_t bytes = 1;
};

std::optional<uint32_t> base_of(const ProgramModel& model, uint32_t function, uint32_t private_offset) {
  const auto bases = model.bases_of(function);
  for (uint32_t each = 0; each < bases.size(); ++each) {
    if (bases[each].private_offset == private_offset) return model.function(function).first_base + each;
  }
  return std::nullopt;
}

std::optional<uint32_t> anchor_of(const ProgramModel& model, std::string_view symbol) {
  const auto& anchors = model.sections().anchors;
  for (uint32_t each = 0; each < anchors.size(); ++each) {
    if (model.text(anchors[each].symbol) == symbol) return each;
  }
  return std::nullopt;
}

std::optional<VariablePlace> place_of(const ProgramModel& model, uint32_t function, uint32_t variable) {
  const VariableRecord& record = model.variable(variable);
  VariablePlace place{.kind = PlaceKind::kFrame,
                      .base = kNone,
                      .offset = static_cast<uint64_t>(record.offset),
                      .bytes = std::max<uint64_t>(bytes_of_type(model, record.type), 1)};
  std::optional<uint32_t> base;
  switch (record.home) {
    case HomeKind::kPrivateSlot:
      base = base_of(model, function, static_cast<uint32_t>(record.offset));
      if (!base) {
        place.kind = PlaceKind::kCells;
        return place;
      }
      place.offset = 0;
      break;
    case HomeKind::kUserStack:
      base = base_of(model, function, kNone);
      break;
    case HomeKind::kGlobal:
      place.kind = PlaceKind::kGlobal;
      base = anchor_of(model, model.text(record.symbol));
      break;
    default:
      break;
  }
  if (!base) return std::nullopt;
  place.base = *base;
  return place;
}

bool touches(const ProgramModel& model, const AccessRecord& access, const VariablePlace& place) {
  if (access.place != place.kind) return false;
  uint64_t from = static_cast<uint64_t>(int64_t{access.offset});
  uint64_t bytes = access.bytes == kNone ? 1 : access.bytes;
  if (place.kind == PlaceKind::kCells) {
    const CellRecord& first = model.sections().cells[access.value];
    const CellRecord& last = model.sections().cells[access.value + access.cells - 1];
    from = first.offset;
    bytes = last.offset + last.bytes - first.offset;
  } else if (access.value != place.base) {
    return false;
  }
  return from < place.offset + place.bytes && place.offset < from + bytes;
}

bool contains(const std::vector<uint32_t>& numbers, uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Whether an operation of an execution was reached before the run ended.
bool was_executed(const DependenceGraph& graph, Node node) {
  const Node last = graph.last();
  return node.execution() != last.execution() || node <= last;
}

/// The nodes of an execution's statements that access a variable.
struct Accesses {
  std::vector<NodeNumber> reads, writes;
};

Accesses accesses_of(const DependenceGraph& graph, Execution execution, const std::vector<uint32_t>& statements,
                     const VariablePlace& place) {
  const ProgramModel& model = graph.model();
  Accesses accesses;
  for (const uint32_t operation : model.operations_of(graph.block_of(execution))) {
    const Node node = Node::of(execution, operation);
    if (!contains(statements, model.operation(operation).statement) || !was_executed(graph, node)) continue;
    for (const AccessRecord& access : model.accesses_of(operation)) {
      if (!touches(model, access, place)) continue;
      ((access.flags & kAccessWrites) != 0 ? accesses.writes : accesses.reads).push_back(graph.number_of(node));
    }
  }
  return accesses;
}

/// The first operation of the moment's statements.
Node first_of(const DependenceGraph& graph, const Moment& moment) {
  const auto operations = graph.model().operations_of(graph.block_of(moment.execution));
  for (const uint32_t operation : operations) {
    if (contains(moment.statements, graph.model().operation(operation).statement)) {
      return Node::of(moment.execution, operation);
    }
  }
  return Node::of(moment.execution, operations.front());
}

std::vector<Node> nodes_of(const DependenceGraph& graph, const std::vector<NodeNumber>& numbers) {
  std::vector<Node> nodes;
  for (const NodeNumber each : numbers) {
    if (const Node node = graph.node_of(each); node != kNoNode) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

Moment find_moment(const DependenceGraph& graph, const program::SourcePosition& position) {
  const ProgramModel& model = graph.model();
  const std::vector<uint32_t> statements = program::find_statements(model, position);
  std::vector<uint32_t> blocks;
  for (const uint32_t statement : statements) {
    const uint32_t block = model.block_of_statement(statement);
    if (!contains(blocks, block)) blocks.push_back(block);
  }
  uint32_t block = kNone;  // the most executed
  uint64_t instances = 0;
  for (const uint32_t each : blocks) {
    const uint64_t executions = graph.executions_of(each);
    if (executions > instances) {
      block = each;
      instances = executions;
    }
  }
  const std::string place = fmt::format("{}:{}", position.file, position.line);
  if (instances == 0) {
    throw UserError(fmt::format("{} was not executed", place), "choose a line that the run reaches");
  }
  if (position.instance > instances) {
    throw UserError(fmt::format("{} was executed {} times, not {}", place, instances, position.instance),
                    fmt::format("give an instance up to {}", instances));
  }
  const uint64_t instance = position.instance == 0 ? instances : position.instance;
  Moment moment{graph.execution_of(block, instance), {}, instance, instances, {}};
  for (const uint32_t each : blocks) {
    if (each != block && graph.executions_of(each) == instances) moment.other_blocks.push_back(each);
  }
  for (const uint32_t statement : statements) {
    if (model.block_of_statement(statement) == block) moment.statements.push_back(statement);
  }
  return moment;
}

std::vector<Node> values_used(const DependenceGraph& graph, const Moment& moment) {
  const ProgramModel& model = graph.model();
  std::vector<Node> nodes;
  for (const uint32_t operation : model.operations_of(graph.block_of(moment.execution))) {
    const OperationRecord& record = model.operation(operation);
    const Node node = Node::of(moment.execution, operation);
    if (!contains(moment.statements, record.statement) || !was_executed(graph, node)) continue;
    nodes.push_back(node);
    // A call's value depends on the arguments through its callee only, yet the statement uses them.
    if (record.kind != OperationKind::kCall) continue;
    const uint32_t end = model.operation(operation + 1).first_operand;
    for (uint32_t each = record.first_operand; each < end; ++each) {
      graph.for_each_source(node, each, [&](Node source) { nodes.push_back(source); });
    }
  }
  return nodes;
}

std::vector<NodeNumber> variable_sources(const trace::TraceFile& trace, const DependenceGraph& graph,
                                         const Moment& moment, const std::string& name) {
  const ProgramModel& model = graph.model();
  const uint32_t statement = moment.statements.front();
  const std::optional<uint32_t> variable = program::find_variable(model, statement, name);
  if (!variable) {
    std::vector<std::string> names;
    for (const uint32_t each : program::variables_in_reach(model, statement)) {
      names.emplace_back(model.text(model.variable(each).name));
    }
    throw UserError(fmt::format("no variable {} is in reach at {}", name, model.position_text(statement)),
                    fmt::format("in reach: {}", fmt::join(names, ", ")));
  }
  const BlockExecution& execution = graph.execution(moment.execution);
  const uint32_t function = graph.frame(execution.frame).function;
  const std::optional<VariablePlace> place = place_of(model, function, *variable);
  if (!place) {
    throw UserError(fmt::format("{} has no place that a trace knows", name), "ask for all values: leave out --var");
  }
  Accesses accesses = accesses_of(graph, moment.execution, moment.statements, *place);
  for (const uint32_t block : moment.other_blocks) {
    std::vector<uint32_t> statements;
    for (const uint32_t each : model.statements_of(block)) {
      if (model.statement(each).line == model.statement(statement).line) statements.push_back(each);
    }
    const Accesses more = accesses_of(graph, graph.execution_of(block, moment.instance), statements, *place);
    accesses.writes.insert(accesses.writes.end(), more.writes.begin(), more.writes.end());
    accesses.reads.insert(accesses.reads.end(), more.reads.begin(), more.reads.end());
  }
  if (!accesses.writes.empty()) return accesses.writes;
  if (!accesses.reads.empty()) return accesses.reads;
  std::vector<NodeNumber> found;
  const auto ask = [&](DefinitionQuery& query) {
    if (place->kind == PlaceKind::kCells) {
      found = query.cells(execution.frame, static_cast<uint32_t>(place->offset), static_cast<uint32_t>(place->bytes));
    } else if (place->kind == PlaceKind::kFrame) {
      const uint64_t base = query.base(execution.frame, place->base - model.function(function).first_base);
      found = query.memory(base + place->offset, place->bytes);
    } else {
      found = query.memory(trace.anchors()[place->base] + place->offset, place->bytes);
    }
  };
  ask_before(trace, first_of(graph, moment), ask);
  if (found.empty()) {
    throw UserError(fmt::format("nothing has written {} before {}", name, model.position_text(statement)),
                    "it holds its initial value");
  }
  return found;
}

std::vector<Node> variable_value(const trace::TraceFile& trace, const DependenceGraph& graph, const Moment& moment,
                                 const std::string& name) {
  return nodes_of(graph, variable_sources(trace, graph, moment, name));
}

std::vector<NodeNumber> memory_sources(const trace::TraceFile& trace, const DependenceGraph& graph,
                                       const Moment& moment, uint64_t address, uint64_t bytes) {
  std::vector<NodeNumber> found;
  ask_before(trace, first_of(graph, moment), [&](DefinitionQuery& query) { found = query.memory(address, bytes); });
  if (found.empty()) {
    throw UserError(
        fmt::format("nothing that the trace knows has written the {} bytes at {:#x} before", bytes, address),
        "they hold their initial value, or native code wrote them");
  }
  return found;
}

std::vector<Node> memory_value(const trace::TraceFile& trace, const DependenceGraph& graph, const Moment& moment,
                               uint64_t address, uint64_t bytes) {
  return nodes_of(graph, memory_sources(trace, graph, moment, address, bytes));
}

std::vector<Node> output_byte(const DependenceGraph& graph, OutputStream stream, uint64_t offset) {
  const uint64_t bytes = graph.output_bytes(stream);
  if (offset < bytes) return graph.output_at(stream, offset);
  const char* name = stream == OutputStream::kStandardOutput ? "standard output" : "standard error";
  if (const Node lost_at = graph.output_lost_at(stream); lost_at != kNoNode) {
    const uint32_t statement = graph.model().operation(lost_at.operation()).statement;
    throw UserError(fmt::format("how much {} puts out is not known, so only bytes 0 to {} of {} can be found",
                                graph.model().position_text(statement), bytes, name),
                    "ask by the statement that prints: --at FILE:LINE");
  }
  throw UserError(fmt::format("the run put out {} bytes on {}; {} is not among them", bytes, name, offset),
                  "bytes are counted from 0");
}

}  // namespace culprit::depend
