// Two versions of a program as one, so that an execution of each is a walk through one flow graph and both have ids
// that can be compared (EPID §III-A takes them for executions of one program).
//
// Blocks are too coarse to correspond: a branch that one version inserts cuts a block, and with it the calls behind it,
// off from that of the other version. So blocks are cut into pieces, the operations in a row of one statement, and the
// union has a node for each pair of pieces that correspond and for each piece that only one version has, and the edges
// of both. Whatever pieces are paired, both walks follow the union's edges, so that ids order both; pairs decide only
// how much corresponds. Costs O(N D) of a function with N statements of which D have no counterpart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/flow_tables.h"
#include "index/version_sources.h"
#include "program/program_model.h"

namespace culprit {

/// One version in the numbers of the union. Plain data.
struct VersionNumbers {
  struct Piece {
    uint32_t first_operation;            ///< they end where those of the next piece begin
    uint32_t statement = format::kNone;  ///< kNone: of a block without statements
    uint32_t node = format::kNone;       ///< of the union
  };
  std::vector<Piece> pieces;             ///< in order of blocks, and one at the end
  std::vector<uint32_t> first_piece;     ///< by block, and one at the end; each block has at least one
  std::vector<uint32_t> operation;       ///< by operation; ascending within a node
  std::vector<uint32_t> own_operation;   ///< by the union's number; kNone: the other version's only
  std::vector<uint32_t> node_statement;  ///< by node; kNone: none, or the other version's only
  std::vector<bool> changed;  ///< by statement: its line, or what it does, is another one in the other version
};

/// A function that is not the same in both versions.
struct FunctionChange {
  std::optional<uint32_t> left, right;            ///< its number; nothing: the version has no such function
  std::vector<uint32_t> left_lines, right_lines;  ///< with changed statements, ascending
};

class UnionProgram {
 public:
  /// Functions correspond by their symbols, those that are local to a file also by the file. Reads the sources.
  UnionProgram(const program::ProgramModel& left, const program::ProgramModel& right);

  const VersionNumbers& version(bool left) const { return left ? left_ : right_; }
  /// Of the union, whose blocks are the nodes.
  const FlowTables& tables() const { return *tables_; }
  uint32_t nodes() const { return nodes_; }
  /// In order of the left version's functions, then those of the right one alone.
  const std::vector<FunctionChange>& changes() const { return changes_; }
  /// Why the texts of files are not known, of which statements were compared by columns and names only; sorted.
  const std::vector<std::string>& unknown_texts() const { return unknown_texts_; }

 private:
  struct Builder;

  VersionNumbers left_, right_;
  uint32_t nodes_ = 0;
  std::optional<FlowTables> tables_;
  std::vector<FunctionChange> changes_;
  std::vector<std::string> unknown_texts_;
};

}  // namespace culprit
