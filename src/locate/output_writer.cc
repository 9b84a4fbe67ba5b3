// Programs put out text through functions of their own: a `write` of a stream class, a `put_text` that counts lines.
// Such a function appears wherever anything is wrong with the output, so it says nothing; who called it does. An
// activation passes a text on when
//   - the text's wrong byte was there before it began,
//   - it was given the text: the pointer that it puts out is an argument, or held by the object that an argument
//     points to (a string; an element of a table that it holds was chosen), and
//   - no branch that decided within it that the text is put out had looked at the text.
// A function with arguments in any number, or with the list of another one's, passes on whatever it formats of them.
// What it decides by other things (whether there is a stream) is about where the text goes and not about the text.
#include "locate/output_writer.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "locate/graph_nodes.h"
#include "locate/own_statements.h"
#include "program/external_effects.h"
#include "program/type_name.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Edge;
using depend::EdgeKind;
using depend::Execution;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

constexpr size_t kMostOfBranch = 20'000;  // nodes that a branch's decision is followed through
constexpr size_t kMostOfPointer = 200;
constexpr int kMostHolders = 1;  // objects between an argument and the text

using Nodes = std::unordered_set<uint64_t>;

/// What an operation read of memory.
std::vector<Node> memory_sources(const DependenceGraph& graph, Node node) {
  std::vector<Node> sources;
  graph.for_each_memory_source(node, [&](Node each) { sources.push_back(each); });
  return sources;
}

std::vector<Node> sources_of_operand(const DependenceGraph& graph, Node node, uint32_t number) {
  const auto& operations = graph.model().sections().operations;
  const uint32_t operand = operations[node.operation()].first_operand + number;
  std::vector<Node> sources;
  if (operand < operations[node.operation() + 1].first_operand) {
    graph.for_each_source(node, operand, [&](Node each) { sources.push_back(each); });
  }
  return sources;
}

/// The pointers to what a call of the library puts out: its first pointer, or the format and what is formatted.
std::vector<Node> text_of(const DependenceGraph& graph, Node call) {
  const program::ProgramModel& model = graph.model();
  const auto& sections = model.sections();
  const uint32_t callee = model.call(model.operation(call.operation()).detail).callee;
  const uint32_t first = sections.operations[call.operation()].first_operand;
  const uint32_t count = sections.operations[call.operation() + 1].first_operand - first;
  if (callee != program::kNone) {
    const auto asked = program::asked_memory(model.text(model.function(callee).linkage_name));
    if (asked && asked->printf_format) {
      std::vector<Node> formatted;
      for (uint32_t each = *asked->printf_format; each < count; ++each) {
        const std::vector<Node> sources = sources_of_operand(graph, call, each);
        formatted.insert(formatted.end(), sources.begin(), sources.end());
      }
      return formatted;
    }
  }
  for (uint32_t each = 0; each < count; ++each) {
    if (sections.operands[first + each].role == OperandRole::kAddress) return sources_of_operand(graph, call, each);
  }
  return {};
}

/// Where a caller made what the activation that began with execution `entered` got as the pointer `node`, or as the
/// object that holds it; nothing when it came there otherwise.
std::optional<Node> given(const DependenceGraph& graph, Node node, Execution entered) {
  struct Visit {
    Node node;
    int holders = 0;
    bool indexed = false;  // an element of what comes next
  };
  std::vector<Visit> open{{.node = node}};
  Nodes visited;
  for (size_t next = 0; next < open.size() && next < kMostOfPointer; ++next) {
    const auto [at, holders, indexed] = open[next];
    const auto follow = [&](const std::vector<Node>& sources, int held, bool element) {
      for (const Node source : sources) open.push_back({.node = source, .holders = held, .indexed = element});
    };
    if (!visited.insert(at.bits).second) continue;
    if (at.execution() < entered) return at;
    switch (kind_of(graph, at)) {
      case OperationKind::kLoad: {
        std::vector<Node> own = memory_sources(graph, at);  // of a variable of the activation
        std::erase_if(own, [entered](Node each) { return each.execution() < entered; });
        follow(own, holders, indexed);
        // Of the many that an object holds, one was chosen.
        if (!own.empty() || holders == kMostHolders || indexed) break;
        follow(sources_of(graph, at, {OperandRole::kAddress}), holders + 1, false);
        break;
      }
      case OperationKind::kCall:
        // The return of a body: a function that asks the holder for its text.
        if (graph.enters_body(at)) follow(memory_sources(graph, at), holders, indexed);
        break;
      case OperationKind::kStep: {
        const std::vector<Node> base = sources_of_operand(graph, at, 0);
        follow(base, holders, indexed || sources_of(graph, at, {OperandRole::kData}).size() > base.size());
        break;
      }
      case OperationKind::kCopy:
      case OperationKind::kPhi:
      case OperationKind::kStore:
      case OperationKind::kReturn:
        follow(sources_of(graph, at, {OperandRole::kData}), holders, indexed);
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

/// Whether what a branch decided by depends, from execution `entered` on, on something that read `text`.
bool looked_at(const DependenceGraph& graph, Node branch, const Nodes& text, Execution entered) {
  std::vector<Node> open{branch};
  Nodes visited;
  while (!open.empty() && visited.size() < kMostOfBranch) {
    const Node at = open.back();
    open.pop_back();
    if (!visited.insert(at.bits).second) continue;
    for (const Node source : memory_sources(graph, at)) {
      if (text.contains(source.bits)) return true;
    }
    graph.for_each_edge(at, [&](const Edge& edge) {
      if (edge.to.execution() >= entered) open.push_back(edge.to);
    });
  }
  return !open.empty();  // not known: then it is not passed over
}

/// Whether a branch within the activation of `call` decided by the text that the call is made.
bool decided_by_text(const DependenceGraph& graph, Node call, const Nodes& text, Execution entered) {
  Nodes seen;
  for (Node at = call; seen.insert(at.bits).second;) {
    Node control = depend::kNoNode;
    graph.for_each_edge(at, [&](const Edge& edge) {
      if (edge.kind == EdgeKind::kControl) control = edge.to;
    });
    if (control == depend::kNoNode || control.execution() < entered) return false;
    if (kind_of(graph, control) == OperationKind::kBranch && looked_at(graph, control, text, entered)) return true;
    at = control;
  }
  return false;
}

/// Whether a function takes the list of another one's arguments (va_list).
bool takes_list(const program::ProgramModel& model, uint32_t function) {
  const program::Indices variables = model.variables_of(function);
  return std::any_of(variables.begin(), variables.end(), [&](uint32_t each) {
    const auto& variable = model.variable(each);
    return variable.argument != 0 && program::type_name(model, variable.type).find("va_list") != std::string::npos;
  });
}

/// Whether the activation that makes a call is one of a function with arguments in any number, or of one that is given
/// their list: what it puts out it was given, be it that it formats it itself.
bool only_formats(const DependenceGraph& graph, Node call) {
  const program::ProgramModel& model = graph.model();
  const uint32_t function = model.function_of_block(graph.execution(call.execution()).block);
  return model.text(model.function(function).signature).ends_with("...)") || takes_list(model, function);
}

uint32_t statement_of(const DependenceGraph& graph, Node node) {
  return graph.model().operation(node.operation()).statement;
}

}  // namespace

Node writer_of_output(const DependenceGraph& graph, std::span<const Node> made_by,
                      const std::function<Execution(uint32_t frame)>& entered) {
  Node call = made_by.back();
  Nodes text;
  Execution made = 0;  // the latest of what the text was when it was put out
  for (const Node each : made_by.first(made_by.size() - 1)) {
    text.insert(each.bits);
    made = std::max(made, each.execution());
  }
  Node writer = call;
  if (text.empty() || text.contains(call.bits)) return writer;
  std::vector<Node> pointers = text_of(graph, call);
  while (true) {
    const uint32_t frame = graph.execution(call.execution()).frame;
    const Execution begin = entered(frame);
    const Node caller = graph.frame(frame).call;
    const bool formats = only_formats(graph, call);
    if (caller == depend::kNoNode || (made >= begin && !formats)) return writer;
    if (!formats && decided_by_text(graph, call, text, begin)) return writer;
    std::vector<Node> handed;
    for (const Node pointer : pointers) {
      if (const auto argument = given(graph, pointer, begin)) handed.push_back(*argument);
    }
    if (handed.empty() && !formats) return writer;
    call = caller;
    pointers = std::move(handed);
    if (is_own_statement(graph.model(), statement_of(graph, call))) writer = call;
  }
}

Node formatted_for(const DependenceGraph& graph, Node call) {
  Node writer = call;
  while (only_formats(graph, call)) {
    call = graph.frame(graph.execution(call.execution()).frame).call;
    if (call == depend::kNoNode) break;
    if (is_own_statement(graph.model(), statement_of(graph, call))) writer = call;
  }
  return writer;
}

}  // namespace culprit
