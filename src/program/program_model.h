// The program model: what a program consists of, read from the file that its build wrote. Functions, blocks,
// statements, variables, types and so on are named by their indices, which are equal for equal merged programs.
#pragma once

#include <filesystem>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "program/flow_graph.h"
#include "program/model_file.h"

namespace culprit::program {

using format::kNone;

/// Consecutive indices.
using Indices = std::ranges::iota_view<uint32_t, uint32_t>;

class ProgramModel {
 public:
  /// Maps and checks the file. Throws UserError when it cannot be opened, CorruptData when it is damaged.
  static ProgramModel open(const std::filesystem::path& path);
  /// The same from memory; `name` stands for the file's in messages.
  static ProgramModel from_bytes(std::vector<std::byte> bytes, const std::string& name);
  ProgramModel(ProgramModel&&) noexcept = default;

  /// Equal for equal models: what a trace is checked against.
  uint64_t identity() const { return loaded_.identity; }
  const ModelView& sections() const { return loaded_.sections; }
  std::string_view text(uint32_t string) const { return loaded_.sections.strings.data() + string; }

  // Everything there is, without sentinels.
  Indices functions() const { return {0, static_cast<uint32_t>(loaded_.sections.functions.size()) - 1}; }
  Indices blocks() const { return {0, static_cast<uint32_t>(loaded_.sections.blocks.size()) - 1}; }
  Indices statements() const { return {0, static_cast<uint32_t>(loaded_.sections.statements.size())}; }
  Indices types() const { return {0, static_cast<uint32_t>(loaded_.sections.types.size()) - 1}; }
  Indices globals() const;

  const format::FunctionRecord& function(uint32_t index) const { return loaded_.sections.functions[index]; }
  const format::BlockRecord& block(uint32_t index) const { return loaded_.sections.blocks[index]; }
  const format::EdgeRecord& edge(uint32_t index) const { return loaded_.sections.edges[index]; }
  const format::StatementRecord& statement(uint32_t index) const { return loaded_.sections.statements[index]; }
  const format::CallRecord& call(uint32_t index) const { return loaded_.sections.calls[index]; }
  const format::ScopeRecord& scope(uint32_t index) const { return loaded_.sections.scopes[index]; }
  const format::VariableRecord& variable(uint32_t index) const { return loaded_.sections.variables[index]; }
  const format::TypeRecord& type(uint32_t index) const { return loaded_.sections.types[index]; }
  const format::LoopRecord& loop(uint32_t index) const { return loaded_.sections.loops[index]; }
  const format::OperationRecord& operation(uint32_t index) const { return loaded_.sections.operations[index]; }

  // What belongs to what.
  Indices blocks_of(uint32_t function) const;
  Indices scopes_of(uint32_t function) const;
  Indices variables_of(uint32_t function) const;
  Indices loops_of(uint32_t function) const;
  Indices statements_of(uint32_t block) const;
  Indices edges_of(uint32_t block) const;
  Indices operations_of(uint32_t block) const;
  std::span<const format::OperandRecord> operands_of(uint32_t operation) const;
  std::span<const format::AccessRecord> accesses_of(uint32_t operation) const;
  Indices cells_of(uint32_t function) const;
  std::span<const format::BaseRecord> bases_of(uint32_t function) const;
  std::span<const format::ControlDependenceRecord> dependences_of(uint32_t block) const;
  std::span<const format::MemberRecord> members_of(uint32_t type) const;
  std::span<const format::LoopHeaderRecord> headers_of(uint32_t loop) const;
  uint32_t function_of_block(uint32_t block) const;
  uint32_t block_of_statement(uint32_t statement) const;
  uint32_t source_of_edge(uint32_t edge) const;
  uint32_t block_of_operation(uint32_t operation) const;
  uint32_t function_of_statement(uint32_t statement) const { return function_of_block(block_of_statement(statement)); }

  format::EdgeKind edge_kind(uint32_t edge) const;
  /// The value of a kCase edge.
  int64_t case_value(uint32_t edge) const;
  /// "true", "false", "case 3", …
  std::string edge_text(uint32_t edge) const;

  /// Absolute where the compiler's directory is known, and without "." and "..". Empty for kNone.
  std::string file_path(uint32_t file) const;
  /// The file that a statement's line is in.
  uint32_t file_of_scope(uint32_t scope) const;
  std::string path_of_statement(uint32_t statement) const;
  /// "luaV_execute", "Json::Reader::parse".
  std::string function_name(uint32_t function) const;
  /// "file.c:12:3", with the file's base name.
  std::string position_text(uint32_t statement) const;

  /// The function's blocks as a graph; block and edge numbers count from its first block and edge.
  FlowGraph graph_of(uint32_t function) const;

 private:
  ProgramModel() = default;

  std::optional<MappedFile> mapped_;
  std::vector<std::byte> owned_;
  LoadedModel loaded_;
};

std::string_view name_of(format::StatementKind kind);
std::string_view name_of(format::HomeKind kind);
std::string_view name_of(format::TypeKind kind);

}  // namespace culprit::program
