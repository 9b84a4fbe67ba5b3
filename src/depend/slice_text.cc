#include "depend/slice_text.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace culprit::depend {
namespace {

using nlohmann::json;
using program::ProgramModel;

/// Lines of source files, read once each; empty when a file is not there any more.
class SourceLines {
 public:
  std::string line(const std::string& path, uint32_t number) {
    auto at = files_.find(path);
    if (at == files_.end()) {
      std::vector<std::string> lines;
      std::ifstream file(path);
      for (std::string text; std::getline(file, text);) lines.push_back(text);
      at = files_.emplace(path, std::move(lines)).first;
    }
    if (number == 0 || number > at->second.size()) return {};
    const std::string& text = at->second[number - 1];
    const size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : text.substr(first);
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

uint32_t statement_of(const DependenceGraph& graph, Node node) {
  return graph.model().operation(node.operation()).statement;
}

}  // namespace

std::string_view name_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kData:
      return "data";
    case EdgeKind::kAddress:
      return "address";
    case EdgeKind::kControl:
      return "control";
  }
  return "";
}

std::string slice_text(const DependenceGraph& graph, const std::vector<uint64_t>& counts) {
  const ProgramModel& model = graph.model();
  std::map<std::pair<std::string, uint32_t>, uint64_t> lines;
  uint64_t instances = 0;
  for (const uint32_t statement : model.statements()) {
    if (counts[statement] == 0) continue;
    instances += counts[statement];
    lines[{model.path_of_statement(statement), model.statement(statement).line}] += counts[statement];
  }
  std::string text;
  SourceLines sources;
  for (const auto& [place, count] : lines) {
    const std::string name = place.first.empty() ? "?" : place.first.substr(place.first.rfind('/') + 1);
    text += fmt::format("{:>7}x  {}:{:<5} {}\n", count, name, place.second, sources.line(place.first, place.second));
  }
  return text + fmt::format("{} lines, {} statement instances\n", lines.size(), instances);
}

namespace {

/// Writes a JSON list, each element on a line of its own.
class JsonList {
 public:
  JsonList(const char* name, bool is_last, const std::function<void(std::string_view)>& write)
      : write_(write), end_(is_last ? "]" : "],") {
    write_(fmt::format(" \"{}\": [", name));
  }
  void add(const std::string& element) { write_(fmt::format("{}\n  {}", std::exchange(separator_, ","), element)); }
  void end() { write_(fmt::format("{}\n", end_)); }

 private:
  const std::function<void(std::string_view)>& write_;
  const char* separator_ = "";
  const char* end_;
};

}  // namespace

void write_slice_json(const DependenceGraph& graph, const Slice& slice, const std::vector<uint64_t>& counts,
                      const SliceOptions& options, SliceDetail detail,
                      const std::function<void(std::string_view)>& write) {
  const ProgramModel& model = graph.model();
  write("{\n");
  JsonList statements("statements", false, write);
  for (const uint32_t each : model.statements()) {
    if (counts[each] == 0) continue;
    const json statement{{"statement", each},
                         {"file", model.path_of_statement(each)},
                         {"line", model.statement(each).line},
                         {"column", model.statement(each).column},
                         {"function", model.function_name(model.function_of_statement(each))},
                         {"kind", program::name_of(model.statement(each).kind)},
                         {"instances", counts[each]}};
    statements.add(statement.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  statements.end();
  std::vector<StatementInstance> instances;
  if (detail != SliceDetail::kStatements) instances = statement_instances(graph, slice);
  JsonList list("instances", false, write);
  const std::vector<uint64_t> numbers = numbers_of(graph, instances);
  for (size_t at = 0; at < instances.size(); ++at) {
    const BlockExecution execution = graph.execution(instances[at].execution);
    list.add(fmt::format(R"({{"statement": {}, "execution": {}, "number": {}, "thread": {}, "frame": {}}})",
                         instances[at].statement, instances[at].execution, numbers[at],
                         graph.frame(execution.frame).thread, execution.frame));
  }
  list.end();
  JsonList edges("edges", true, write);
  if (detail == SliceDetail::kEdges) {
    for (const InstanceEdge& edge : instance_edges(graph, slice, instances, options)) {
      edges.add(fmt::format(R"({{"from": {}, "to": {}, "kind": "{}"}})", edge.from, edge.to, name_of(edge.kind)));
    }
  }
  edges.end();
  write("}\n");
}

std::string slice_dot(const DependenceGraph& graph, const Slice& slice, const SliceOptions& options) {
  const ProgramModel& model = graph.model();
  const std::vector<StatementInstance> instances = statement_instances(graph, slice);
  SourceLines sources;
  std::string text = "digraph slice {\n  node [shape=box, fontname=monospace];\n";
  for (size_t each = 0; each < instances.size(); ++each) {
    const uint32_t statement = instances[each].statement;
    std::string label = fmt::format("{}  {}", model.position_text(statement),
                                    sources.line(model.path_of_statement(statement), model.statement(statement).line));
    std::string quoted;
    for (const char character : label) {
      if (character == '"' || character == '\\') quoted += '\\';
      quoted += character;
    }
    text += fmt::format("  n{} [label=\"{}\"];\n", each, quoted);
  }
  for (const InstanceEdge& edge : instance_edges(graph, slice, instances, options)) {
    const char* style = edge.kind == EdgeKind::kData ? "solid" : edge.kind == EdgeKind::kControl ? "dashed" : "dotted";
    text += fmt::format("  n{} -> n{} [style={}];\n", edge.from, edge.to, style);
  }
  return text + "}\n";
}

std::string tree_text(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options,
                      uint64_t depth) {
  const ProgramModel& model = graph.model();
  SourceLines sources;
  std::set<StatementInstance> shown;
  std::string text;
  // The nodes of one statement instance are shown as one; their dependences within the instance are passed through.
  const std::function<void(std::vector<Node>, EdgeKind, uint64_t)> show = [&](std::vector<Node> nodes, EdgeKind kind,
                                                                              uint64_t level) {
    const StatementInstance instance{nodes.front().execution(), statement_of(graph, nodes.front())};
    const bool again = !shown.insert(instance).second;
    text +=
        fmt::format("{:{}}{}{} {}{}\n", "", level * 2, level == 0 ? "" : fmt::format("{}: ", name_of(kind)),
                    model.position_text(instance.statement),
                    sources.line(model.path_of_statement(instance.statement), model.statement(instance.statement).line),
                    again ? " (above)" : "");
    if (again || level >= depth) return;
    std::map<StatementInstance, std::pair<EdgeKind, std::vector<Node>>> below;
    std::set<Node> seen(nodes.begin(), nodes.end());
    while (!nodes.empty()) {
      const Node node = nodes.back();
      nodes.pop_back();
      graph.for_each_edge(node, [&](const Edge& edge) {
        if ((edge.kind == EdgeKind::kControl && !options.control) ||
            (edge.kind == EdgeKind::kAddress && !options.address) ||
            (options.prune && options.prune(edge.to.operation())) || !seen.insert(edge.to).second) {
          return;
        }
        const StatementInstance to{edge.to.execution(), statement_of(graph, edge.to)};
        if (to == instance) {
          nodes.push_back(edge.to);
          return;
        }
        auto& entry = below.try_emplace(to, edge.kind, std::vector<Node>()).first->second;
        entry.first = std::min(entry.first, edge.kind);
        entry.second.push_back(edge.to);
      });
    }
    for (auto& [to, entry] : below) show(std::move(entry.second), entry.first, level + 1);
  };
  std::map<StatementInstance, std::vector<Node>> roots;
  for (const Node node : criterion) roots[{node.execution(), statement_of(graph, node)}].push_back(node);
  for (auto& [instance, nodes] : roots) show(std::move(nodes), EdgeKind::kData, 0);
  return text;
}

std::string chain_text(const DependenceGraph& graph, const std::vector<Node>& chain) {
  const ProgramModel& model = graph.model();
  SourceLines sources;
  std::string text;
  StatementInstance before{kNoExecution, format::kNone};
  for (const Node node : chain) {
    const StatementInstance instance{node.execution(), statement_of(graph, node)};
    if (instance == before) continue;
    before = instance;
    text += fmt::format(
        "{} {}\n", model.position_text(instance.statement),
        sources.line(model.path_of_statement(instance.statement), model.statement(instance.statement).line));
  }
  return text;
}

}  // namespace culprit::depend
