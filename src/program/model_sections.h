// The program model's tables as plain data: one array a section, in memory as in the file.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/model_format.h"

namespace culprit::program {

/// Elements of a table, as the model's indices count them.
uint32_t size_of(const auto& table) {
  return static_cast<uint32_t>(table.size());
}

/// `Array` is a vector while a model is made, and a span when it is read.
template <template <typename> typename Array>
struct ModelSections {
  Array<char> strings;
  Array<format::FileRecord> files;
  Array<format::FunctionRecord> functions;
  Array<format::BlockRecord> blocks;
  Array<format::EdgeRecord> edges;
  Array<format::CaseValueRecord> case_values;
  Array<format::StatementRecord> statements;
  Array<format::CallRecord> calls;
  Array<format::ScopeRecord> scopes;
  Array<format::VariableRecord> variables;
  Array<format::TypeRecord> types;
  Array<format::MemberRecord> members;
  Array<format::LoopRecord> loops;
  Array<format::LoopHeaderRecord> loop_headers;
  Array<format::ControlDependenceRecord> control_dependences;
  Array<format::OperationRecord> operations;
  Array<format::OperandRecord> operands;
  Array<format::AccessRecord> accesses;
  Array<format::CellRecord> cells;
  Array<format::BaseRecord> bases;
  Array<format::AnchorRecord> anchors;
  Array<format::IndexedRecord> indexed;
};

/// Calls `visit(kind, array)` for every section in the order of the file.
template <typename Sections, typename Visit>
void for_each_section(Sections& sections, Visit&& visit) {
  using enum format::ModelSectionKind;
  visit(kStrings, sections.strings);
  visit(kFiles, sections.files);
  visit(kFunctions, sections.functions);
  visit(kBlocks, sections.blocks);
  visit(kEdges, sections.edges);
  visit(kCaseValues, sections.case_values);
  visit(kStatements, sections.statements);
  visit(kCalls, sections.calls);
  visit(kScopes, sections.scopes);
  visit(kVariables, sections.variables);
  visit(kTypes, sections.types);
  visit(kMembers, sections.members);
  visit(kLoops, sections.loops);
  visit(kLoopHeaders, sections.loop_headers);
  visit(kControlDependences, sections.control_dependences);
  visit(kOperations, sections.operations);
  visit(kOperands, sections.operands);
  visit(kAccesses, sections.accesses);
  visit(kCells, sections.cells);
  visit(kBases, sections.bases);
  visit(kAnchors, sections.anchors);
  visit(kIndexedPlaces, sections.indexed);
}

template <typename Record>
using Table = std::vector<Record>;
template <typename Record>
using View = std::span<const Record>;

using ModelTables = ModelSections<Table>;
using ModelView = ModelSections<View>;

/// Adds each distinct string once to a model's string section.
class StringTable {
 public:
  explicit StringTable(std::vector<char>& strings);
  /// The string's reference. What follows a zero byte in `text` is dropped.
  uint32_t add(std::string_view text);

 private:
  std::vector<char>& strings_;
  std::unordered_map<size_t, std::vector<uint32_t>> by_hash_;
};

/// Whether calls of a function end when another thread has done something, or when time has passed, by its symbol.
using WaitingFunctions = std::function<bool(std::string_view symbol)>;

/// Ends a model whose functions, blocks, edges, statements, scopes, variables, types and members are there: computes
/// post-dominators, control dependences and loops (without the edges that the compiler holds impossible), and appends
/// the sentinels. `first_global`: where the globals start
/// among the variables. `waits_for_others`: as of external_roles.h.
void complete_model(ModelTables& tables, uint32_t first_global, const WaitingFunctions& waits_for_others);

}  // namespace culprit::program
