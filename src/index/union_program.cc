#include "index/union_program.h"

#include <algorithm>
#include <set>

#include "index/common_subsequence.h"
#include "index/corresponding_functions.h"
#include "index/corresponding_pieces.h"

namespace culprit {
namespace {

using format::kNone;
using program::ProgramModel;
using Piece = VersionNumbers::Piece;

/// Pieces, without nodes yet.
VersionNumbers cut(const ProgramModel& model) {
  VersionNumbers version;
  uint32_t operations = 0;
  for (const uint32_t block : model.blocks()) {
    version.first_piece.push_back(static_cast<uint32_t>(version.pieces.size()));
    const auto statements = model.statements_of(block);
    const uint32_t first_statement = statements.empty() ? kNone : statements.front();
    for (const uint32_t operation : model.operations_of(block)) {
      const uint32_t statement = model.operation(operation).statement;
      const bool begins = version.pieces.size() == version.first_piece.back();
      if (begins || version.pieces.back().statement != statement) {
        version.pieces.push_back({.first_operation = operation, .statement = statement});
      }
      operations = operation + 1;
    }
    if (version.pieces.size() == version.first_piece.back()) {
      version.pieces.push_back({.first_operation = operations, .statement = first_statement});
    }
  }
  version.first_piece.push_back(static_cast<uint32_t>(version.pieces.size()));
  version.pieces.push_back({.first_operation = operations});
  version.operation.resize(operations);
  version.changed.resize(model.statements().size());
  return version;
}

bool same_callee(const ProgramModel& left, uint32_t left_call, const ProgramModel& right, uint32_t right_call) {
  if (left_call == kNone || right_call == kNone) return left_call == right_call;
  const uint32_t one = left.call(left_call).callee, other = right.call(right_call).callee;
  if (one == kNone || other == kNone) return one == other;
  return source_symbol(left, one) == source_symbol(right, other);
}

/// Whether two operations of a kind do the same, as far as their constants tell. Those of steps are places of members,
/// which a member that was added moves.
bool same_constants(const ProgramModel& left, uint32_t left_operation, const ProgramModel& right,
                    uint32_t right_operation) {
  if (left.operation(left_operation).kind == format::OperationKind::kStep) return true;
  const auto one = left.operands_of(left_operation), other = right.operands_of(right_operation);
  return std::ranges::equal(one, other, [](const format::OperandRecord& a, const format::OperandRecord& b) {
    const bool number = (a.flags & format::kOperandIsNumber) != 0;
    return a.kind == b.kind && number == ((b.flags & format::kOperandIsNumber) != 0) &&
           (a.kind != format::OperandKind::kConstant || !number || a.value == b.value);
  });
}

}  // namespace

struct UnionProgram::Builder {
  Builder(UnionProgram& whole, const ProgramModel& left, const ProgramModel& right)
      : whole(whole), left_model(left), right_model(right), sources(left, right) {}

  void build() {
    whole.left_ = cut(left_model);
    whole.right_ = cut(right_model);
    for (const FunctionPair& pair : corresponding_functions(left_model, right_model, sources)) add_function(pair);
    whole.tables_.emplace(graphs);
    whole.unknown_texts_ = sources.unknown_texts();
  }

  /// The function's pieces.
  static std::pair<uint32_t, uint32_t> pieces_of(const ProgramModel& model, const VersionNumbers& version,
                                                 std::optional<uint32_t> function) {
    if (!function) return {0, 0};
    const auto blocks = model.blocks_of(*function);
    return {version.first_piece[blocks.front()], version.first_piece[blocks.back() + 1]};
  }

  void add_function(const FunctionPair& pair) {
    const auto [left_begin, left_end] = pieces_of(left_model, whole.left_, pair.left);
    const auto [right_begin, right_end] = pieces_of(right_model, whole.right_, pair.right);
    const uint32_t first_node = whole.nodes_;
    std::vector<uint32_t> partner(left_end - left_begin, kNone);
    if (pair.left && pair.right) {
      partner = corresponding_pieces({left_model, whole.left_, left_begin, left_end},
                                     {right_model, whole.right_, right_begin, right_end}, sources);
    }
    for (uint32_t left = left_begin; left < left_end; ++left) {
      const uint32_t other = partner[left - left_begin];
      other == kNone ? add_lone(true, left) : add_pair(left, other);
    }
    for (uint32_t right = right_begin; right < right_end; ++right) {
      if (whole.right_.pieces[right].node == kNone) add_lone(false, right);
    }
    std::set<std::pair<uint32_t, uint32_t>> edges;
    add_edges(left_model, whole.left_, pair.left, first_node, edges);
    add_edges(right_model, whole.right_, pair.right, first_node, edges);
    const std::vector<std::pair<uint32_t, uint32_t>> in_order(edges.begin(), edges.end());
    graphs.push_back(program::make_graph(whole.nodes_ - first_node, in_order));
    note_change(pair);
  }

  void add_lone(bool in_left, uint32_t piece) {
    VersionNumbers& version = in_left ? whole.left_ : whole.right_;
    Piece& one = version.pieces[piece];
    new_node(in_left ? one.statement : kNone, in_left ? kNone : one.statement);
    one.node = whole.nodes_ - 1;
    for (uint32_t each = one.first_operation; each < version.pieces[piece + 1].first_operation; ++each) {
      new_operation(in_left ? each : kNone, in_left ? kNone : each);
    }
    if (one.statement != kNone) version.changed[one.statement] = true;
  }

  void add_pair(uint32_t left, uint32_t right) {
    Piece &one = whole.left_.pieces[left], &other = whole.right_.pieces[right];
    new_node(one.statement, other.statement);
    one.node = other.node = whole.nodes_ - 1;
    const bool same = merge_operations(left, right);
    if (one.statement == kNone || other.statement == kNone) return;
    // A prologue has an operation for each variable of the function.
    const bool prologue = left_model.statement(one.statement).kind == format::StatementKind::kPrologue;
    const bool changed = (!same && !prologue) || sources.line_changed(true, one.statement).value_or(false) ||
                         sources.line_changed(false, other.statement).value_or(false);
    if (!changed) return;
    whole.left_.changed[one.statement] = true;
    whole.right_.changed[other.statement] = true;
  }

  /// Returns whether all of them are the same.
  bool merge_operations(uint32_t left, uint32_t right) {
    const uint32_t left_begin = whole.left_.pieces[left].first_operation,
                   left_end = whole.left_.pieces[left + 1].first_operation;
    const uint32_t right_begin = whole.right_.pieces[right].first_operation,
                   right_end = whole.right_.pieces[right + 1].first_operation;
    auto same =
        longest_common_subsequence(left_end - left_begin, right_end - right_begin, [&](uint32_t one, uint32_t other) {
          const auto& left_record = left_model.operation(left_begin + one);
          const auto& right_record = right_model.operation(right_begin + other);
          return left_record.kind == right_record.kind &&
                 (left_record.kind != format::OperationKind::kCall ||
                  same_callee(left_model, left_record.detail, right_model, right_record.detail));
        });
    bool all_same = same.size() == left_end - left_begin && same.size() == right_end - right_begin;
    same.emplace_back(left_end - left_begin, right_end - right_begin);
    uint32_t left_at = left_begin, right_at = right_begin;
    for (const auto& [one, other] : same) {
      while (left_at < left_begin + one) new_operation(left_at++, kNone);
      while (right_at < right_begin + other) new_operation(kNone, right_at++);
      if (left_at == left_end && right_at == right_end) break;
      all_same = all_same && same_constants(left_model, left_at, right_model, right_at);
      new_operation(left_at++, right_at++);
    }
    return all_same;
  }

  void new_node(uint32_t left_statement, uint32_t right_statement) {
    whole.left_.node_statement.push_back(left_statement);
    whole.right_.node_statement.push_back(right_statement);
    ++whole.nodes_;
  }

  void new_operation(uint32_t left, uint32_t right) {
    const auto number = static_cast<uint32_t>(whole.left_.own_operation.size());
    if (left != kNone) whole.left_.operation[left] = number;
    if (right != kNone) whole.right_.operation[right] = number;
    whole.left_.own_operation.push_back(left);
    whole.right_.own_operation.push_back(right);
  }

  static void add_edges(const ProgramModel& model, const VersionNumbers& version, std::optional<uint32_t> function,
                        uint32_t first_node, std::set<std::pair<uint32_t, uint32_t>>& edges) {
    if (!function) return;
    for (const uint32_t block : model.blocks_of(*function)) {
      const uint32_t last = version.first_piece[block + 1] - 1;
      for (uint32_t piece = version.first_piece[block]; piece < last; ++piece) {
        edges.emplace(version.pieces[piece].node - first_node, version.pieces[piece + 1].node - first_node);
      }
      for (const uint32_t edge : model.edges_of(block)) {
        const uint32_t target = version.first_piece[model.edge(edge).target];
        edges.emplace(version.pieces[last].node - first_node, version.pieces[target].node - first_node);
      }
    }
  }

  static std::vector<uint32_t> changed_lines(const ProgramModel& model, const VersionNumbers& version,
                                             std::optional<uint32_t> function, bool& any) {
    std::set<uint32_t> lines;
    if (function) {
      for (const uint32_t block : model.blocks_of(*function)) {
        for (const uint32_t statement : model.statements_of(block)) {
          if (!version.changed[statement]) continue;
          any = true;
          if (model.statement(statement).line != 0) lines.insert(model.statement(statement).line);
        }
      }
    }
    return {lines.begin(), lines.end()};
  }

  void note_change(const FunctionPair& pair) {
    bool any = !pair.left || !pair.right;
    FunctionChange change{.left = pair.left,
                          .right = pair.right,
                          .left_lines = changed_lines(left_model, whole.left_, pair.left, any),
                          .right_lines = changed_lines(right_model, whole.right_, pair.right, any)};
    if (any) whole.changes_.push_back(std::move(change));
  }

  UnionProgram& whole;
  const ProgramModel& left_model;
  const ProgramModel& right_model;
  VersionSources sources;
  std::vector<program::FlowGraph> graphs;
};

UnionProgram::UnionProgram(const ProgramModel& left, const ProgramModel& right) {
  Builder(*this, left, right).build();
}

}  // namespace culprit
