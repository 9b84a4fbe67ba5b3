#include "program/model_sections.h"

#include "program/control_dependence.h"
#include "program/loop_forest.h"

namespace culprit::program {
namespace {

/// A function's blocks as a graph of their own.
struct FunctionGraph {
  FlowGraph graph;
  std::vector<uint32_t> edges;  ///< per edge of the graph its number in the model
};

/// The compiler's word that control never gets there (the default of a switch over all cases), as against a block that
/// ends in a call that does not return.
bool is_impossible(const ModelTables& tables, uint32_t block) {
  const bool last = block + 1 == tables.blocks.size();
  const uint32_t end_of_edges = last ? size_of(tables.edges) : tables.blocks[block + 1].first_edge;
  const uint32_t first = tables.blocks[block].first_statement;
  const uint32_t end = last ? size_of(tables.statements) : tables.blocks[block + 1].first_statement;
  return tables.blocks[block].first_edge == end_of_edges && end - first == 1 &&
         tables.statements[first].kind == format::StatementKind::kUnreachable;
}

/// Blocks `first` … `end` - 1 with the edges that control can take.
FunctionGraph graph_of(const ModelTables& tables, uint32_t first, uint32_t end, uint32_t end_of_edges) {
  FunctionGraph result;
  for (uint32_t block = first; block < end; ++block) {
    const uint32_t edges_end = block + 1 < end ? tables.blocks[block + 1].first_edge : end_of_edges;
    for (uint32_t edge = tables.blocks[block].first_edge; edge < edges_end; ++edge) {
      if (is_impossible(tables, tables.edges[edge].target)) continue;
      result.graph.targets.push_back(tables.edges[edge].target - first);
      result.edges.push_back(edge);
    }
    result.graph.first_edge.push_back(size_of(result.graph.targets));
  }
  return result;
}

void add_loops(ModelTables& tables, const FlowGraph& graph, uint32_t first_block) {
  const LoopForest forest = loop_forest(graph);
  const uint32_t first_loop = size_of(tables.loops);
  for (const Loop& loop : forest.loops) {
    tables.loops.push_back({
        .parent = loop.parent == kNoLoop ? format::kNone : first_loop + loop.parent,
        .first_header = size_of(tables.loop_headers),
        .naturalising_header = loop.naturalising_header ? first_block + *loop.naturalising_header : format::kNone,
        .flags = loop.is_natural() ? format::kLoopNatural : 0u,
    });
    for (const uint32_t header : loop.headers) tables.loop_headers.push_back({first_block + header});
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    const uint32_t loop = forest.innermost[block];
    tables.blocks[first_block + block].innermost_loop = loop == kNoLoop ? format::kNone : first_loop + loop;
  }
}

/// Whether a call in the block waits for what others do.
bool waits(const ModelTables& tables, uint32_t block, const WaitingFunctions& waits_for_others) {
  const bool last = block + 1 == tables.blocks.size();
  const uint32_t end = last ? size_of(tables.statements) : tables.blocks[block + 1].first_statement;
  for (uint32_t each = tables.blocks[block].first_statement; each < end; ++each) {
    const format::StatementRecord& statement = tables.statements[each];
    if (statement.kind != format::StatementKind::kCall || statement.detail == format::kNone) continue;
    const uint32_t callee = tables.calls[statement.detail].callee;
    if (callee == format::kNone) continue;
    if (waits_for_others(tables.strings.data() + tables.functions[callee].linkage_name)) return true;
  }
  return false;
}

/// A loop that waits may go on for ever, so it is decided by its exit that what comes after it is executed.
std::vector<uint32_t> waits_in_loops(const ModelTables& tables, const FlowGraph& graph, uint32_t first_block,
                                     const WaitingFunctions& waits_for_others) {
  std::vector<uint32_t> blocks;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    const bool in_loop = tables.blocks[first_block + block].innermost_loop != format::kNone;
    if (in_loop && waits(tables, first_block + block, waits_for_others)) blocks.push_back(block);
  }
  return blocks;
}

void add_dependences(ModelTables& tables, const FunctionGraph& function, uint32_t first_block,
                     const WaitingFunctions& waits_for_others) {
  const FlowGraph& graph = function.graph;
  const PostDominators post = post_dominators(graph, waits_in_loops(tables, graph, first_block, waits_for_others));
  const ControlDependence dependence = control_dependence(graph, post);
  for (uint32_t block = 0; block < graph.size(); ++block) {
    auto& record = tables.blocks[first_block + block];
    record.immediate_post_dominator =
        post.immediate[block] == graph.size() ? format::kNone : first_block + post.immediate[block];
    record.first_dependence = size_of(tables.control_dependences);
    for (const uint32_t edge : dependence.of(block)) tables.control_dependences.push_back({function.edges[edge]});
  }
}

}  // namespace

StringTable::StringTable(std::vector<char>& strings) : strings_(strings) {
  if (strings_.empty()) strings_.push_back('\0');
}

uint32_t StringTable::add(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (text.empty()) return 0;
  auto& candidates = by_hash_[std::hash<std::string_view>{}(text)];
  for (const uint32_t candidate : candidates) {
    if (text == strings_.data() + candidate) return candidate;
  }
  const uint32_t offset = size_of(strings_);
  strings_.insert(strings_.end(), text.begin(), text.end());
  strings_.push_back('\0');
  candidates.push_back(offset);
  return offset;
}

void complete_model(ModelTables& tables, uint32_t first_global, const WaitingFunctions& waits_for_others) {
  if (tables.strings.empty()) tables.strings.push_back('\0');
  tables.loops.clear();
  tables.loop_headers.clear();
  tables.control_dependences.clear();
  for (size_t index = 0; index < tables.functions.size(); ++index) {
    const bool last = index + 1 == tables.functions.size();
    const uint32_t first = tables.functions[index].first_block;
    const uint32_t end = last ? size_of(tables.blocks) : tables.functions[index + 1].first_block;
    const uint32_t end_of_edges = end == tables.blocks.size() ? size_of(tables.edges) : tables.blocks[end].first_edge;
    tables.functions[index].first_loop = size_of(tables.loops);
    if (first == end) continue;
    const FunctionGraph graph = graph_of(tables, first, end, end_of_edges);
    add_loops(tables, graph.graph, first);
    add_dependences(tables, graph, first, waits_for_others);
  }
  format::FunctionRecord last_function{};
  last_function.first_block = size_of(tables.blocks);
  last_function.first_scope = size_of(tables.scopes);
  last_function.first_variable = first_global;
  last_function.first_loop = size_of(tables.loops);
  last_function.first_cell = size_of(tables.cells);
  last_function.first_base = size_of(tables.bases);
  tables.functions.push_back(last_function);
  tables.blocks.push_back({.first_statement = size_of(tables.statements),
                           .first_edge = size_of(tables.edges),
                           .first_dependence = size_of(tables.control_dependences),
                           .immediate_post_dominator = format::kNone,
                           .innermost_loop = format::kNone,
                           .first_operation = size_of(tables.operations)});
  tables.operations.push_back({.statement = format::kNone,
                               .first_operand = size_of(tables.operands),
                               .first_access = size_of(tables.accesses),
                               .detail = format::kNone,
                               .kind = format::OperationKind::kCompute,
                               .flags = 0,
                               .bytes = 0});
  format::TypeRecord last_type{};
  last_type.base = format::kNone;
  last_type.first_member = size_of(tables.members);
  tables.types.push_back(last_type);
  tables.loops.push_back({.parent = format::kNone,
                          .first_header = size_of(tables.loop_headers),
                          .naturalising_header = format::kNone,
                          .flags = 0});
}

}  // namespace culprit::program
