#include "locate/uninitialised_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "locate/executions_in_order.h"
#include "locate/failure.h"
#include "locate/findings.h"
#include "locate/graph_nodes.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using program::ProgramModel;

constexpr size_t kMostReads = 16;

/// Of the activation that a variable belongs to: the statement whose call led to the reader; nothing when it reads
/// itself.
std::optional<uint32_t> passed_on_by(const DependenceGraph& graph, Node node, uint32_t frame) {
  std::optional<uint32_t> statement;
  while (graph.execution(node.execution()).frame != frame) {
    const Node call = graph.frame(graph.execution(node.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= node.execution()) return std::nullopt;
    node = call;
    statement = graph.model().operation(node.operation()).statement;
  }
  return statement;
}

/// What an activation had executed, in order, when it came to a read.
using BlocksUntilRead = std::vector<uint32_t>;

std::optional<SkippedWrite> skipped_write(const ProgramModel& model, uint32_t function, uint32_t variable,
                                          const BlocksUntilRead& executed) {
  const std::map<uint32_t, uint32_t> writes = writes_of(model, function, variable);
  for (size_t at = executed.size(); at-- > 1;) {
    const uint32_t branch = executed[at - 1];
    for (const auto& [block, statement] : writes) {
      // What was executed behind the read, or by other ways, was not left out.
      if (std::find(executed.begin(), executed.end(), block) != executed.end()) continue;
      for (const auto& dependence : model.dependences_of(block)) {
        if (model.source_of_edge(dependence.edge) != branch) continue;
        const auto edges = model.edges_of(branch);
        if (model.edge(dependence.edge).target == executed[at]) continue;
        for (const uint32_t edge : edges) {
          if (model.edge(edge).target == executed[at]) return SkippedWrite{statement, branch, edge - edges.front()};
        }
      }
    }
  }
  return std::nullopt;
}

/// For each read (its node's execution and its variable's activation) what that activation had executed.
void add_skipped_writes(const DependenceGraph& graph, std::vector<std::pair<UninitialisedRead, uint32_t>>& reads) {
  std::unordered_map<uint32_t, BlocksUntilRead> executed;
  Execution last = 0;
  for (const auto& [read, frame] : reads) {
    executed.try_emplace(frame);
    last = std::max(last, read.node.execution());
  }
  std::vector<std::pair<size_t, size_t>> ends(reads.size());
  std::vector<size_t> until(reads.size(), 0);
  for_each_execution(graph, [&](Execution each, uint32_t block, uint32_t frame) {
    if (each > last) return;
    const auto of_frame = executed.find(frame);
    if (of_frame != executed.end()) of_frame->second.push_back(block);
    for (size_t read = 0; read < reads.size(); ++read) {
      if (reads[read].first.node.execution() == each) until[read] = executed.at(reads[read].second).size();
    }
  });
  for (size_t each = 0; each < reads.size(); ++each) {
    auto& [read, frame] = reads[each];
    const BlocksUntilRead& all = executed.at(frame);
    read.skipped = skipped_write(graph.model(), read.function, read.variable,
                                 BlocksUntilRead(all.begin(), all.begin() + static_cast<long>(until[each])));
  }
}

}  // namespace

std::vector<UninitialisedRead> uninitialised_reads(const DependenceGraph& graph,
                                                   const std::unordered_map<uint64_t, uint32_t>& distance) {
  const ProgramModel& model = graph.model();
  std::map<std::pair<uint32_t, uint32_t>, size_t> index;
  std::vector<std::pair<UninitialisedRead, uint32_t>> reads;  // with the variable's activation
  for (const format::GraphUnwritten& each : graph.file().unwritten()) {
    if (each.read >= graph.file().numbers() || each.frame >= graph.frames() ||
        each.variable >= model.sections().variables.size()) {
      graph.file().fail_at(0, "a read of a variable that does not exist");
    }
    const Node node = graph.node_of({each.read});
    const uint32_t statement = model.operation(node.operation()).statement;
    const auto known_distance = distance.find(each.read);
    const auto its = known_distance == distance.end() ? std::nullopt : std::optional(known_distance->second);
    const auto [at, fresh] = index.try_emplace({statement, each.variable}, reads.size());
    if (fresh) {
      reads.push_back({{.statement = statement,
                        .variable = each.variable,
                        .function = graph.frame(each.frame).function,
                        .node = node,
                        .distance = its},
                       each.frame});
    }
    auto& [read, frame] = reads[at->second];
    ++read.count;
    // The one that the failure depended on is the one to tell of.
    if (!its || (read.distance && *read.distance <= *its)) continue;
    read.node = node;
    read.distance = its;
    frame = each.frame;
  }
  std::stable_sort(reads.begin(), reads.end(), [](const auto& one, const auto& other) {
    const auto rank = [](const UninitialisedRead& read) { return read.distance.value_or(~uint32_t{0}); };
    return rank(one.first) < rank(other.first);
  });
  if (reads.size() > kMostReads) reads.resize(kMostReads);
  if (!reads.empty()) add_skipped_writes(graph, reads);
  std::vector<UninitialisedRead> result;
  for (auto& [read, frame] : reads) {
    read.instance = graph.begins_late() ? 0 : instance_of(graph, read.node);
    read.passed_on_by = passed_on_by(graph, read.node, frame);
    result.push_back(std::move(read));
  }
  return result;
}

report::Finding finding_of(const ProgramModel& model, const UninitialisedRead& read) {
  const report::SourcePlace declared = place_of_declaration(model, read.variable, read.function);
  const std::string name(model.text(model.variable(read.variable).name));
  std::string evidence = fmt::format("`{}` is read before it was ever given a value", name);
  if (read.passed_on_by) {
    evidence += fmt::format(": it is a variable of {} ({}), which hands it on at {}", declared.function,
                            file_and_line(declared), file_and_line(place_of_statement(model, *read.passed_on_by)));
  } else {
    evidence += fmt::format(" (declared at {})", file_and_line(declared));
  }
  if (read.skipped) {
    evidence += fmt::format(". {} would have given it one, but {} went to {}",
                            file_and_line(place_of_statement(model, read.skipped->write)),
                            file_and_line(place_of_branch(model, read.skipped->branch)),
                            way_text(model, read.skipped->branch, read.skipped->way));
  }
  return {.kind = "uninitialised-read",
          .place = place_of_statement(model, read.statement),
          .instance = read.instance,
          .evidence = evidence + ".",
          .proved = false};
}

}  // namespace culprit
