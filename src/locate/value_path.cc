// A value chain ends where something is computed, and the text of a number is computed from it. Who looks for a wrong
// number does not want to be told of the digits, so a path goes on through one conversion into text:
// - the library's (a conversion of a printf), of which the graph knows what it was given;
// - the program's own: an activation, or one around it, that was given a single value which the byte is computed from.
// What is computed from two values is made there, and so is what was read as text.
//
// Copies go through functions that fetch and put values (of a stack, a table), which say little. Of two steps in
// different activations the path therefore names where both come together: the two calls, in one function, between
// which the value went.
#include "locate/value_path.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "depend/value_chain.h"
#include "locate/graph_nodes.h"
#include "locate/never_written.h"
#include "locate/own_statements.h"
#include "locate/passage.h"
#include "program/external_effects.h"
#include "program/external_roles.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

constexpr size_t kMostOfConversion = 50'000;  // nodes
constexpr int kMostActivations = 6;           // of a conversion

bool is_call_of_library(const DependenceGraph& graph, Node node) {
  return kind_of(graph, node) == OperationKind::kCall && !graph.enters_body(node);
}

bool formats(const DependenceGraph& graph, Node call) {
  const auto asked = program::asked_memory(called_symbol(graph, call));
  return asked && asked->printf_format;
}

std::vector<Node> memory_sources(const DependenceGraph& graph, Node node) {
  std::vector<Node> sources;
  graph.for_each_memory_source(node, [&](Node each) { sources.push_back(each); });
  return sources;
}

/// What the library's call that ends the chain made the byte of: what the chain's reader depends on beside it.
Node formatted_by_library(const DependenceGraph& graph, const std::vector<Node>& chain, std::span<const Node> made_by) {
  if (!is_call_of_library(graph, chain.back()) || !formats(graph, chain.back())) return depend::kNoNode;
  size_t reader = chain.size() - 1;
  while (reader > 0 && (reader + 1 == chain.size() || kind_of(graph, chain[reader]) != OperationKind::kLoad)) --reader;
  std::vector<Node> sources;
  if (kind_of(graph, chain[reader]) == OperationKind::kLoad) {
    sources = memory_sources(graph, chain[reader]);
  } else if (!made_by.empty()) {
    sources.assign(made_by.begin(), made_by.end() - 1);
  }
  Node latest = depend::kNoNode;
  for (const Node each : sources) {
    const bool on_the_way = std::find(chain.begin(), chain.end(), each) != chain.end();
    if (!on_the_way && !is_call_of_library(graph, each) && (latest == depend::kNoNode || each > latest)) latest = each;
  }
  return latest;
}

/// What a value was computed from: no addresses, but for what was looked up in a table that is never written.
std::vector<Node> computed_of(const DependenceGraph& graph, Node node) {
  std::vector<Node> sources = memory_sources(graph, node);
  const OperationKind kind = kind_of(graph, node);
  if (kind == OperationKind::kLoad && sources.empty())
    return sources_of(graph, node, {OperandRole::kAddress, OperandRole::kData});
  if (node.is_transfer() || (kind == OperationKind::kCall && graph.enters_body(node))) return sources;
  const std::vector<Node> data = sources_of(graph, node, {OperandRole::kData});
  sources.insert(sources.end(), data.begin(), data.end());
  return sources;
}

/// Of what had been made when execution `begin` began, the values that `made` was computed from, by their origins;
/// nothing when that is too much to look at.
std::optional<std::unordered_map<uint64_t, Node>> given(const DependenceGraph& graph, Node made, Execution begin) {
  std::unordered_map<uint64_t, Node> values;
  std::vector<Node> open{made};
  std::unordered_set<uint64_t> visited;
  while (!open.empty()) {
    if (visited.size() == kMostOfConversion) return std::nullopt;
    const Node at = open.back();
    open.pop_back();
    if (!visited.insert(at.bits).second) continue;
    if (at.execution() < begin) {
      values.emplace(depend::value_chain(graph, at).back().bits, at);
      continue;
    }
    for (const Node source : computed_of(graph, at)) open.push_back(source);
  }
  return values;
}

/// The single value that the text at the end of a chain was computed from by an activation that was given it.
Node converted_from(const DependenceGraph& graph, Node made, const std::function<Execution(uint32_t)>& entered) {
  if (is_call_of_library(graph, made)) return depend::kNoNode;
  uint32_t frame = graph.execution(made.execution()).frame;
  for (int level = 0; level < kMostActivations; ++level) {
    const Node call = graph.frame(frame).call;
    if (call == depend::kNoNode) return depend::kNoNode;
    const auto values = given(graph, made, entered(frame));
    if (!values || values->empty()) return depend::kNoNode;
    if (values->size() == 1) {
      const Node value = values->begin()->second;
      // Text that was read is text before and after.
      return reads_input(graph, depend::value_chain(graph, value).back()) ? depend::kNoNode : value;
    }
    frame = graph.execution(call.execution()).frame;
  }
  return depend::kNoNode;
}

/// What a printf puts out of a number is no copy of it.
bool begins_as_number(const DependenceGraph& graph, const std::vector<Node>& chain, std::span<const Node> made_by) {
  if (made_by.empty()) return true;
  if (!formats(graph, chain.front()) || chain.size() < 2) return false;
  const OperationKind second = kind_of(graph, chain[1]);
  return second != OperationKind::kStore && second != OperationKind::kCopyMemory &&
         !is_call_of_library(graph, chain[1]);
}

bool reads_global(const DependenceGraph& graph, Node load) {
  const auto accesses = graph.model().accesses_of(load.operation());
  return std::any_of(accesses.begin(), accesses.end(), [](const format::AccessRecord& each) {
    return each.place == format::PlaceKind::kGlobal || each.place == format::PlaceKind::kConstant;
  });
}

/// The variable that a load reads, if nothing was written to it in its activation.
std::optional<uint32_t> read_unwritten(const DependenceGraph& graph, Node load) {
  const auto reads = graph.file().unwritten();
  const uint64_t number = graph.number_of(load).bits;
  const auto at = std::partition_point(reads.begin(), reads.end(),
                                       [number](const format::GraphUnwritten& each) { return each.read < number; });
  if (at == reads.end() || at->read != number) return std::nullopt;
  return at->variable;
}

/// Whether the library's call put it out or copied it, and nothing was before that.
bool passes_on(const DependenceGraph& graph, Node call) {
  const std::string_view function = called_symbol(graph, call);
  // What realloc returned is new; what the block holds it copied.
  if (!call.is_transfer() && program::external_role(function).allocates) return false;
  if (program::copies_memory(function)) return true;
  return call.is_transfer() && (function.empty() || program::puts_bytes_out(function));
}

Origin how_made(const DependenceGraph& graph, Node made) {
  switch (kind_of(graph, made)) {
    case OperationKind::kLoad:
      return reads_global(graph, made) ? Origin::kInitial : Origin::kUnknown;
    case OperationKind::kStore:
    case OperationKind::kReturn:
    case OperationKind::kCopy:
    case OperationKind::kPhi:
    case OperationKind::kCopyMemory:
    case OperationKind::kSetMemory:
    case OperationKind::kStartVariadic:
      return Origin::kConstant;
    case OperationKind::kCall:
      if (graph.enters_body(made)) return Origin::kConstant;
      if (reads_input(graph, made)) return Origin::kInput;
      return passes_on(graph, made) ? Origin::kConstant : Origin::kLibrary;
    default:
      return Origin::kComputed;
  }
}

/// The call that passed the constant which the node's activation got as its value; kNoNode when it did not get one.
Node passed_by(const DependenceGraph& graph, Node node) {
  const auto& sections = graph.model().sections();
  Node call = depend::kNoNode;
  for (uint32_t number = 0;;) {
    const uint32_t operand = sections.operations[node.operation()].first_operand + number;
    if (operand >= sections.operations[node.operation() + 1].first_operand) return call;
    if (sections.operands[operand].kind != format::OperandKind::kArgument) return call;
    bool computed = false;
    graph.for_each_source(node, operand, [&](Node) { computed = true; });
    const depend::Frame frame = graph.frame(graph.execution(node.execution()).frame);
    if (computed || frame.call == depend::kNoNode || frame.by_native) return call;
    number = sections.operands[operand].value;
    call = node = frame.call;
  }
}

class PathWriter {
 public:
  explicit PathWriter(const DependenceGraph& graph) : graph_(graph) {}

  void add(Node node, bool formats) {
    const uint32_t statement = graph_.model().operation(node.operation()).statement;
    if (!is_own_statement(graph_.model(), statement)) return;
    if (!steps_.empty() && steps_.back().statement == statement) {
      steps_.back().formats |= formats;
      return;
    }
    steps_.push_back({.statement = statement, .formats = formats});
  }

  /// Both as where their activations meet.
  void add_passage(Node later, Node earlier) {
    const Passage passage = passage_between(graph_, later, earlier);
    add(passage.later, false);
    add(passage.earlier, false);
  }

  std::vector<PathStep> take() { return std::move(steps_); }

 private:
  const DependenceGraph& graph_;
  std::vector<PathStep> steps_;
};

}  // namespace

MadeAt made_at(const DependenceGraph& graph, const std::vector<Node>& chain) {
  Node made = chain.back();
  if (how_made(graph, made) == Origin::kConstant) {
    if (const Node call = passed_by(graph, made); call != depend::kNoNode) made = call;
  }
  ValueOrigin origin{.statement = graph.model().operation(made.operation()).statement, .how = how_made(graph, made)};
  auto variable = unwritten_variable(graph.model(), made.operation());
  if (!variable) variable = read_unwritten(graph, made);
  if (variable) {
    origin.how = Origin::kUnwritten;
    origin.variable = *variable;
  }
  return {.node = made, .origin = origin};
}

ValuePath value_path(const DependenceGraph& graph, std::vector<Node> chain, std::span<const Node> made_by, bool is_text,
                     const std::function<Execution(uint32_t frame)>& entered) {
  size_t formatted = chain.size();  // number of the step that does it
  if (!is_text && begins_as_number(graph, chain, made_by)) {
    if (!made_by.empty()) formatted = 0;
  } else {
    Node number = formatted_by_library(graph, chain, made_by);
    if (number == depend::kNoNode) number = converted_from(graph, chain.back(), entered);
    if (number != depend::kNoNode) {
      formatted = chain.size() - 1;
      const std::vector<Node> more = depend::value_chain(graph, number);
      chain.insert(chain.end(), more.begin(), more.end());
    }
  }
  const MadeAt made = made_at(graph, chain);
  if (made.node != chain.back()) chain.push_back(made.node);
  PathWriter writer(graph);
  for (size_t each = 0; each < chain.size(); ++each) {
    if (each == 0 || each == formatted || each + 1 == chain.size()) writer.add(chain[each], each == formatted);
    if (each + 1 < chain.size()) writer.add_passage(chain[each], chain[each + 1]);
  }
  return {.steps = writer.take(), .origin = made.origin, .made = made.node};
}

}  // namespace culprit
