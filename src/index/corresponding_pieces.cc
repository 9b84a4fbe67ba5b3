#include "index/corresponding_pieces.h"

#include <algorithm>
#include <tuple>

#include "index/common_subsequence.h"

namespace culprit {
namespace {

using format::kNone;

/// A way out of a piece.
struct Successor {
  format::EdgeKind kind;
  int64_t case_value;  ///< of kCase
  uint32_t piece;
};

class Matching {
 public:
  Matching(const FunctionPieces& left, const FunctionPieces& right, VersionSources& sources)
      : left_(left),
        right_(right),
        sources_(sources),
        right_of_(left.end - left.begin, kNone),
        left_of_(right.end - right.begin, kNone) {}

  std::vector<uint32_t> find() {
    pair(left_.begin, right_.begin);
    match_statements();
    follow_edges();
    return std::move(right_of_);
  }

 private:
  void pair(uint32_t left, uint32_t right) {
    right_of_[left - left_.begin] = right;
    left_of_[right - right_.begin] = left;
    new_pairs_.emplace_back(left, right);
  }

  static uint32_t statement_of(const FunctionPieces& side, uint32_t piece) {
    return side.version.pieces[piece].statement;
  }
  static format::StatementKind kind_of(const FunctionPieces& side, uint32_t piece) {
    return side.model.statement(statement_of(side, piece)).kind;
  }

  static std::vector<uint32_t> pieces_with_statements(const FunctionPieces& side) {
    std::vector<uint32_t> pieces;
    for (uint32_t piece = side.begin + 1; piece < side.end; ++piece) {
      if (statement_of(side, piece) != kNone) pieces.push_back(piece);
    }
    return pieces;
  }

  void match_statements() {
    const std::vector<uint32_t> lefts = pieces_with_statements(left_), rights = pieces_with_statements(right_);
    const auto same = longest_common_subsequence(
        static_cast<uint32_t>(lefts.size()), static_cast<uint32_t>(rights.size()), [&](uint32_t one, uint32_t other) {
          return kind_of(left_, lefts[one]) == kind_of(right_, rights[other]) &&
                 sources_.match(statement_of(left_, lefts[one]), statement_of(right_, rights[other])) !=
                     PlaceMatch::kNone;
        });
    for (const auto& [one, other] : same) pair(lefts[one], rights[other]);
  }

  void follow_edges() {
    while (!new_pairs_.empty()) {
      const auto [left, right] = new_pairs_.back();
      new_pairs_.pop_back();
      const std::vector<Successor> others = successors(right_, right);
      for (const Successor& one : successors(left_, left)) {
        const auto other = std::ranges::find_if(others, [&](const Successor& each) {
          return std::tie(each.kind, each.case_value) == std::tie(one.kind, one.case_value);
        });
        if (other != others.end() && may_pair(one, other->piece)) pair(one.piece, other->piece);
      }
    }
  }

  static std::vector<Successor> successors(const FunctionPieces& side, uint32_t piece) {
    // Which block the piece ends, if it does.
    const auto& first = side.version.first_piece;
    const auto next = std::upper_bound(first.begin(), first.end(), piece);
    if (piece + 1 != *next) return {{format::EdgeKind::kAlways, 0, piece + 1}};
    std::vector<Successor> successors;
    for (const uint32_t edge : side.model.edges_of(static_cast<uint32_t>(next - first.begin()) - 1)) {
      const format::EdgeKind kind = side.model.edge_kind(edge);
      successors.push_back({kind, kind == format::EdgeKind::kCase ? side.model.case_value(edge) : 0,
                            first[side.model.edge(edge).target]});
    }
    return successors;
  }

  bool may_pair(const Successor& successor, uint32_t right) {
    const uint32_t left = successor.piece;
    if (right_of_[left - left_.begin] != kNone || left_of_[right - right_.begin] != kNone) return false;
    const uint32_t left_statement = statement_of(left_, left), right_statement = statement_of(right_, right);
    // Landing pads stand where the first call that needs them does.
    const bool in_order = successor.kind == format::EdgeKind::kUnwound || keeps_order(left, right);
    if (left_statement == kNone || right_statement == kNone) return left_statement == right_statement && in_order;
    if (kind_of(left_, left) != kind_of(right_, right)) return false;
    if (sources_.match(left_statement, right_statement) != PlaceMatch::kNone) return true;
    return in_order && sources_.line_changed(true, left_statement).value_or(true) &&
           sources_.line_changed(false, right_statement).value_or(true);
  }

  bool keeps_order(uint32_t left, uint32_t right) const {
    uint32_t before = left - left_.begin, behind = before;
    // The first pieces are a pair.
    while (right_of_[before] == kNone) --before;
    while (behind < right_of_.size() && right_of_[behind] == kNone) ++behind;
    return right_of_[before] < right && (behind == right_of_.size() || right < right_of_[behind]);
  }

  const FunctionPieces left_, right_;
  VersionSources& sources_;
  std::vector<uint32_t> right_of_, left_of_;
  std::vector<std::pair<uint32_t, uint32_t>> new_pairs_;
};

}  // namespace

std::vector<uint32_t> corresponding_pieces(const FunctionPieces& left, const FunctionPieces& right,
                                           VersionSources& sources) {
  return Matching(left, right, sources).find();
}

}  // namespace culprit
