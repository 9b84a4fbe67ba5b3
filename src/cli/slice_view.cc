#include "cli/slice_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "depend/slice_text.h"
#include "locate/statement_values_text.h"

namespace culprit::cli {
namespace {

using depend::DependenceGraph;
using depend::StatementInstance;

constexpr size_t kMostInstances = 20'000;  // a page that a browser opens at once

std::vector<StatementInstance> nearest(std::vector<StatementInstance> instances, bool forward) {
  if (instances.size() <= kMostInstances) return instances;
  const auto kept = static_cast<std::ptrdiff_t>(kMostInstances);
  if (forward) return {instances.begin(), instances.begin() + kept};
  return {instances.end() - kept, instances.end()};
}

/// Texts by number, each once.
class Names {
 public:
  explicit Names(std::vector<std::string>& all) : all_(all) {}
  uint32_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, static_cast<uint32_t>(all_.size()));
    if (is_new) all_.push_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& all_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace

std::vector<bool> executions_of(const DependenceGraph& graph, const depend::Slice& slice) {
  std::vector<bool> executions(graph.executions());
  for (const StatementInstance& each : statement_instances(graph, slice)) executions[each.execution] = true;
  return executions;
}

report::SliceView slice_view(const DependenceGraph& graph, const depend::Slice& slice,
                             const std::vector<depend::Node>& criterion, const depend::SliceOptions& options,
                             bool forward, const std::string& command, const RunValues* values) {
  const program::ProgramModel& model = graph.model();
  std::vector<StatementInstance> instances = statement_instances(graph, slice);
  std::erase_if(instances, [&](const StatementInstance& each) {
    return model.statement(each.statement).line == 0 || model.path_of_statement(each.statement).empty();
  });
  const size_t all = instances.size();
  instances = nearest(std::move(instances), forward);

  report::SliceView view{.command = command,
                         .files = {},
                         .functions = {},
                         .instances = {},
                         .edges = {},
                         .criterion = {},
                         .left_out = all - instances.size()};
  Names files(view.files), functions(view.functions);
  const std::vector<uint64_t> numbers = numbers_of(graph, instances);
  for (size_t at = 0; at < instances.size(); ++at) {
    const StatementInstance& each = instances[at];
    const format::StatementRecord& statement = model.statement(each.statement);
    view.instances.push_back(
        {.file = files.number(model.path_of_statement(each.statement)),
         .line = statement.line,
         .column = statement.column,
         .function = functions.number(std::string(model.function_name(model.function_of_statement(each.statement)))),
         .thread = graph.frame(graph.execution(each.execution).frame).thread,
         .number = numbers[at],
         .value = values ? statement_values_text(graph, each.statement, each.execution, *values) : std::string()});
  }
  for (const depend::InstanceEdge& edge : instance_edges(graph, slice, instances, options)) {
    view.edges.push_back(
        {static_cast<uint32_t>(edge.from), static_cast<uint32_t>(edge.to), std::string(depend::name_of(edge.kind))});
  }
  for (const StatementInstance& each : statement_instances(graph, criterion)) {
    const auto at = std::lower_bound(instances.begin(), instances.end(), each);
    if (at != instances.end() && *at == each) view.criterion.push_back(static_cast<uint32_t>(at - instances.begin()));
  }
  return view;
}

}  // namespace culprit::cli
