#include "program/program_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace culprit::program {
namespace {

using namespace format;

/// The record whose run, given by the member `first`, holds `index`. Empty runs are passed over.
template <typename Record>
uint32_t holder_of(std::span<const Record> records, uint32_t Record::*first, uint32_t index) {
  const auto after = std::upper_bound(records.begin(), records.end(), index,
                                      [first](uint32_t value, const Record& record) { return value < record.*first; });
  return static_cast<uint32_t>(after - records.begin()) - 1;
}

template <typename Record>
Indices run_of(std::span<const Record> records, uint32_t Record::*first, uint32_t index) {
  return {records[index].*first, records[index + 1].*first};
}

template <typename Record>
std::span<const Record> slice(std::span<const Record> records, Indices indices) {
  return records.subspan(*indices.begin(), indices.size());
}

}  // namespace

ProgramModel ProgramModel::open(const std::filesystem::path& path) {
  ProgramModel model;
  model.mapped_.emplace(path);
  model.loaded_ = load_model(model.mapped_->bytes(), path.string());
  return model;
}

ProgramModel ProgramModel::from_bytes(std::vector<std::byte> bytes, const std::string& name) {
  ProgramModel model;
  model.owned_ = std::move(bytes);
  model.loaded_ = load_model(model.owned_, name);
  return model;
}

Indices ProgramModel::globals() const {
  return {loaded_.sections.functions.back().first_variable, static_cast<uint32_t>(loaded_.sections.variables.size())};
}

Indices ProgramModel::blocks_of(uint32_t function) const {
  return run_of(loaded_.sections.functions, &FunctionRecord::first_block, function);
}
Indices ProgramModel::scopes_of(uint32_t function) const {
  return run_of(loaded_.sections.functions, &FunctionRecord::first_scope, function);
}
Indices ProgramModel::variables_of(uint32_t function) const {
  return run_of(loaded_.sections.functions, &FunctionRecord::first_variable, function);
}
Indices ProgramModel::loops_of(uint32_t function) const {
  return run_of(loaded_.sections.functions, &FunctionRecord::first_loop, function);
}
Indices ProgramModel::statements_of(uint32_t block) const {
  return run_of(loaded_.sections.blocks, &BlockRecord::first_statement, block);
}
Indices ProgramModel::edges_of(uint32_t block) const {
  return run_of(loaded_.sections.blocks, &BlockRecord::first_edge, block);
}
Indices ProgramModel::operations_of(uint32_t block) const {
  return run_of(loaded_.sections.blocks, &BlockRecord::first_operation, block);
}
std::span<const OperandRecord> ProgramModel::operands_of(uint32_t operation) const {
  return slice(loaded_.sections.operands,
               run_of(loaded_.sections.operations, &OperationRecord::first_operand, operation));
}
std::span<const AccessRecord> ProgramModel::accesses_of(uint32_t operation) const {
  return slice(loaded_.sections.accesses,
               run_of(loaded_.sections.operations, &OperationRecord::first_access, operation));
}
Indices ProgramModel::cells_of(uint32_t function) const {
  return run_of(loaded_.sections.functions, &FunctionRecord::first_cell, function);
}
std::span<const BaseRecord> ProgramModel::bases_of(uint32_t function) const {
  return slice(loaded_.sections.bases, run_of(loaded_.sections.functions, &FunctionRecord::first_base, function));
}
std::span<const ControlDependenceRecord> ProgramModel::dependences_of(uint32_t block) const {
  return slice(loaded_.sections.control_dependences,
               run_of(loaded_.sections.blocks, &BlockRecord::first_dependence, block));
}
std::span<const MemberRecord> ProgramModel::members_of(uint32_t type) const {
  return slice(loaded_.sections.members, run_of(loaded_.sections.types, &TypeRecord::first_member, type));
}
std::span<const LoopHeaderRecord> ProgramModel::headers_of(uint32_t loop) const {
  return slice(loaded_.sections.loop_headers, run_of(loaded_.sections.loops, &LoopRecord::first_header, loop));
}

uint32_t ProgramModel::function_of_block(uint32_t block) const {
  return holder_of(loaded_.sections.functions, &FunctionRecord::first_block, block);
}
uint32_t ProgramModel::block_of_statement(uint32_t statement) const {
  return holder_of(loaded_.sections.blocks, &BlockRecord::first_statement, statement);
}
uint32_t ProgramModel::block_of_operation(uint32_t operation) const {
  return holder_of(loaded_.sections.blocks, &BlockRecord::first_operation, operation);
}
uint32_t ProgramModel::source_of_edge(uint32_t edge) const {
  return holder_of(loaded_.sections.blocks, &BlockRecord::first_edge, edge);
}

EdgeKind ProgramModel::edge_kind(uint32_t index) const {
  return static_cast<EdgeKind>(edge(index).meaning & ((1u << kEdgeKindBits) - 1));
}

int64_t ProgramModel::case_value(uint32_t index) const {
  CULPRIT_ASSERT(edge_kind(index) == EdgeKind::kCase, fmt::format("edge {}", index));
  return loaded_.sections.case_values[edge(index).meaning >> kEdgeKindBits].value;
}

std::string ProgramModel::edge_text(uint32_t index) const {
  switch (edge_kind(index)) {
    case EdgeKind::kAlways:
      return "always";
    case EdgeKind::kTrue:
      return "true";
    case EdgeKind::kFalse:
      return "false";
    case EdgeKind::kCase:
      return fmt::format("case {}", case_value(index));
    case EdgeKind::kDefault:
      return "default";
    case EdgeKind::kReturned:
      return "returned";
    case EdgeKind::kUnwound:
      return "unwound";
    case EdgeKind::kLabel:
      return "label";
  }
  CULPRIT_ASSERT(false, "three bits have eight values");
}

std::string ProgramModel::file_path(uint32_t file) const {
  if (file == kNone) return {};
  const FileRecord& record = loaded_.sections.files[file];
  return (std::filesystem::path(text(record.directory)) / text(record.name)).lexically_normal().string();
}

uint32_t ProgramModel::file_of_scope(uint32_t index) const {
  return scope(index).file;
}

std::string ProgramModel::path_of_statement(uint32_t index) const {
  return file_path(file_of_scope(statement(index).scope));
}

std::string ProgramModel::function_name(uint32_t index) const {
  const FunctionRecord& record = function(index);
  const std::string_view qualifier = text(record.qualifier);
  return qualifier.empty() ? std::string(text(record.name)) : fmt::format("{}::{}", qualifier, text(record.name));
}

std::string ProgramModel::position_text(uint32_t index) const {
  const StatementRecord& record = statement(index);
  const uint32_t file = file_of_scope(record.scope);
  const std::string name = file == kNone ? "?" : std::filesystem::path(file_path(file)).filename().string();
  return record.column ? fmt::format("{}:{}:{}", name, record.line, record.column)
                       : fmt::format("{}:{}", name, record.line);
}

FlowGraph ProgramModel::graph_of(uint32_t index) const {
  FlowGraph graph;
  const Indices all = blocks_of(index);
  const uint32_t first_block = function(index).first_block;
  const uint32_t first_edge = block(first_block).first_edge;
  for (const uint32_t each : all) {
    for (const uint32_t edge_index : edges_of(each)) graph.targets.push_back(edge(edge_index).target - first_block);
    graph.first_edge.push_back(block(each + 1).first_edge - first_edge);
  }
  return graph;
}

std::string_view name_of(StatementKind kind) {
  constexpr std::array<std::string_view, kStatementKinds> kNames{
      "expression", "assignment", "call", "branch", "switch", "jump", "return", "unreachable", "unwind", "prologue"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name_of(HomeKind kind) {
  constexpr std::array<std::string_view, kHomeKinds> kNames{"unknown",      "private slot", "user stack", "global",
                                                            "thread-local", "argument",     "stack",      "pointee",
                                                            "indirect",     "computed"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name_of(TypeKind kind) {
  constexpr std::array<std::string_view, kTypeKinds> kNames{
      "base",     "pointer", "reference", "rvalue reference", "member pointer", "const", "volatile",
      "restrict", "atomic",  "typedef",   "struct",           "class",          "union", "variant",
      "enum",     "array",   "vector",    "function",         "unspecified"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace culprit::program
