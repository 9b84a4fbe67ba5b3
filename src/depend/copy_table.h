// Definitions of bytes that were copied: the copy, and what defined the bytes before.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "depend/byte_range.h"
#include "depend/definition.h"
#include "depend/node.h"

namespace culprit::depend {

/// Of definitions as definition.h describes them.
class CopyTable {
 public:
  /// How many copies of a copy are told, each of which was made by a statement that made a later one, too.
  static constexpr uint32_t kRepeatsTold = 16;
  /// With more copies in a row a definition is shortened.
  static constexpr uint32_t kMostInARow = 2 * kRepeatsTold;

  /// The definition of a byte that `copier`, an execution of the operation `statement`, copied from one with the
  /// definition `before`. Who reads a byte is told all who copied it: where every item of a table is moved again and
  /// again (a sort, a queue), that would be more than the trace. So of the copies before the latest kRepeatsTold only
  /// the last of every statement stays, and always who made the byte.
  uint64_t copied(NodeNumber copier, uint32_t statement, uint64_t before) {
    if (before == definition::kUndefined) return copier.bits;
    uint64_t bare = definition::without_byte(before);
    if (in_a_row(bare) >= kMostInARow && in_a_row(bare) % kRepeatsTold == 0) bare = shortened(bare);
    return add({copier, bare, definition::kUndefined, statement, in_a_row(bare) + 1}) |
           (before & definition::kByteMask);
  }
  /// The definition of something that is computed from what two definitions stand for. `least`: it counts as so many
  /// copies in a row, or more.
  uint64_t joined(uint64_t one, uint64_t other, uint32_t least = 0) {
    if (one == other || other == definition::kUndefined) return one;
    if (one == definition::kUndefined) return other;
    return add({kNoNumber, one, other, 0, std::max({in_a_row(one), in_a_row(other), least})});
  }
  /// How many copies, one of the other, and values computed from such a definition stands for.
  uint32_t in_a_row(uint64_t bits) const {
    if (bits == definition::kUndefined || definition::is_unwritten(bits) || (bits & definition::kCopyBit) == 0)
      return 0;
    return copies_[definition::without_byte(bits) & ~definition::kCopyBit].in_a_row;
  }
  /// The definition of a cell with these bytes.
  uint64_t cell_of(std::span<const uint64_t> bytes) {
    bool in_order = true;
    for (size_t each = 1; each < bytes.size(); ++each) {
      in_order = in_order && bytes[each] == definition::advanced(bytes.front(), each);
    }
    if (in_order) return bytes.front();
    lists_.insert(lists_.end(), bytes.begin(), bytes.end());
    return definition::kListBit | (lists_.size() - bytes.size());
  }
  /// Of a cell, the byte `distance` from its beginning.
  uint64_t byte_at(uint64_t cell, uint64_t distance) const {
    const bool listed = cell != definition::kUndefined && (cell & definition::kListBit) != 0;
    return listed ? lists_[(cell & ~definition::kListBit) + distance] : definition::advanced(cell, distance);
  }

  /// Whether a definition is that of one node, from its value's first byte on.
  static bool is_node(uint64_t bits) {
    return (bits & (definition::kCopyBit | definition::kListBit | definition::kByteMask | definition::kUnwrittenBit)) ==
           0;
  }

  /// When the latest of what a byte's definition stands for was made, as a node's number; nothing when that is not
  /// known. What nothing defined is 0.
  std::optional<uint64_t> newest(uint64_t bits) const {
    while (bits != definition::kUndefined) {
      bits = definition::without_byte(bits);
      if (bits == definition::without_byte(kNoNumber.bits) || definition::is_unwritten(bits)) return std::nullopt;
      if ((bits & definition::kCopyBit) == 0)
        return bits < format::kGraphMostNumbers ? std::optional(bits) : std::nullopt;
      const Copy& copy = copies_[bits & ~definition::kCopyBit];
      // Who computed something from other things comes behind them.
      bits = copy.copier != kNoNumber ? copy.copier.bits : copy.other;
    }
    return 0;
  }
  /// The variable that a byte was copied from, or is of, if nothing was ever written there: as of
  /// definition::unwritten.
  std::optional<uint64_t> unwritten(uint64_t bits) const {
    while (bits != definition::kUndefined) {
      if (definition::is_unwritten(bits)) return definition::without_byte(bits);
      if ((bits & definition::kCopyBit) == 0) return std::nullopt;
      const Copy& copy = copies_[definition::without_byte(bits) & ~definition::kCopyBit];
      if (copy.copier == kNoNumber) return std::nullopt;
      bits = copy.before;
    }
    return std::nullopt;
  }

  /// Adds the nodes that a byte's definition stands for, each once: a copy before what it copied. An empty `sources`
  /// begins a question; within one, what several copies share is looked at once (joined copies of joined copies share
  /// nearly all).
  void add_sources(uint64_t bits, std::vector<NodeNumber>& sources) {
    if (sources.empty()) ++question_;
    open_.assign(1, definition::without_byte(bits));
    while (!open_.empty()) {
      const uint64_t next = open_.back();
      open_.pop_back();
      if (next == definition::kUndefined || definition::is_unwritten(next)) continue;
      if ((next & definition::kCopyBit) == 0) {
        add_once({next}, sources);
        continue;
      }
      const uint64_t number = next & ~definition::kCopyBit;
      if (asked_[number] == question_) continue;
      asked_[number] = question_;
      const Copy& copy = copies_[number];
      if (copy.copier != kNoNumber) add_once(copy.copier, sources);
      open_.push_back(definition::without_byte(copy.other));
      open_.push_back(definition::without_byte(copy.before));
    }
  }

  /// The same for what is read, by its bytes' definitions: sources with what is read of them (byte_range.h). `next`:
  /// the definition of the byte behind; a value of which that is a part is not read whole.
  void add_pieces(std::span<const uint64_t> bytes, std::vector<NodeNumber>& sources,
                  uint64_t next = definition::kUndefined) {
    is_whole_ = bytes.empty() || next == definition::kUndefined || next != definition::advanced(bytes.back(), 1);
    for (uint32_t at = 0; at < bytes.size();) {
      uint32_t end = at + 1;
      const bool in_order = end < bytes.size() && bytes[end] == definition::advanced(bytes[at], 1);
      while (end < bytes.size() && bytes[end] == (in_order ? definition::advanced(bytes[at], end - at) : bytes[at]))
        ++end;
      if (bytes[at] != definition::kUndefined) {
        add_run(bytes[at], {at, end}, static_cast<uint32_t>(bytes.size()), sources);
      }
      at = end;
    }
  }

 private:
  struct Copy {
    NodeNumber copier;
    uint64_t before;
    uint64_t other;
    uint32_t statement;
    uint32_t in_a_row;
    bool operator==(const Copy&) const = default;
  };

  uint64_t add(const Copy& copy) {
    if (copies_.empty() || !(copies_.back() == copy)) {
      copies_.push_back(copy);
      asked_.push_back(0);
    }
    return definition::kCopyBit | (copies_.size() - 1);
  }

  /// Of a copy's definition. Neighbouring bytes often have the same one.
  uint64_t shortened(uint64_t bits) {
    if (bits == shortened_from_) return shortened_to_;
    std::vector<Copy> kept;
    std::unordered_set<uint32_t> statements;
    uint64_t end = bits;
    while (!definition::is_unwritten(end) && end != definition::kUndefined && (end & definition::kCopyBit) != 0) {
      const Copy& copy = copies_[definition::without_byte(end) & ~definition::kCopyBit];
      if (copy.copier == kNoNumber) break;
      const bool is_first = statements.insert(copy.statement).second;
      if (is_first || kept.size() < kRepeatsTold) kept.push_back(copy);
      end = copy.before;
    }
    shortened_from_ = bits;
    for (; !kept.empty(); kept.pop_back()) {
      end = add({kept.back().copier, end, definition::kUndefined, kept.back().statement, in_a_row(end) + 1});
    }
    return shortened_to_ = end;
  }

  /// Of bytes `at` of `all`, which one value has in order, or all of which have the one definition.
  void add_run(uint64_t bits, ByteRange at, uint32_t all, std::vector<NodeNumber>& sources) {
    ++question_;
    open_.assign(1, bits);
    while (!open_.empty()) {
      const uint64_t next = open_.back();
      open_.pop_back();
      if (next == definition::kUndefined || definition::is_unwritten(next)) continue;
      const uint32_t from = definition::byte_of(next);
      const uint64_t bare = definition::without_byte(next);
      if ((next & definition::kCopyBit) == 0) {
        add_piece({bare}, at, from, all, sources);
        continue;
      }
      const uint64_t number = bare & ~definition::kCopyBit;
      if (asked_[number] == question_) continue;
      asked_[number] = question_;
      const Copy& copy = copies_[number];
      if (copy.copier != kNoNumber) {
        add_piece(copy.copier, at, definition::kWhole, all, sources);
        open_.push_back(copy.before | (copy.before == definition::kUndefined ? 0 : next & definition::kByteMask));
      } else {
        open_.push_back(copy.other);
        open_.push_back(copy.before);
      }
    }
  }

  /// Neighbouring pieces of one copier become one.
  void add_piece(NodeNumber source, ByteRange at, uint32_t from, uint32_t all, std::vector<NodeNumber>& sources) {
    const bool whole = from == definition::kWhole;
    for (NodeNumber& each : sources) {
      if (without_piece(each) != source) continue;
      const ByteRange known = bytes_of_reader(each);
      if (known == at && from_of(each) == from) return;
      if (!whole || known.end != at.first || from_of(each) != definition::kWhole) continue;
      each = piece(source, {known.first, at.end}, from);
      return;
    }
    const bool plain = is_whole_ && at.first == 0 && at.end == all && from == 0;
    sources.push_back(plain ? source : piece(source, at, from));
  }
  static uint32_t from_of(NodeNumber source) {
    const bool part = (source.bits & format::kGraphPiece) != 0;
    return part ? static_cast<uint32_t>(source.bits >> format::kGraphPieceFromShift & format::kGraphPieceMask) : 0;
  }

  /// Few are compared one by one; a call may have read thousands of bytes of input.
  void add_once(NodeNumber node, std::vector<NodeNumber>& sources) {
    constexpr size_t kFew = 32;
    if (sources.size() < kFew) {
      if (std::find(sources.begin(), sources.end(), node) == sources.end()) sources.push_back(node);
      return;
    }
    if (many_question_ != question_) {
      many_question_ = question_;
      many_.clear();
      for (const NodeNumber each : sources) many_.insert(each.bits);
    }
    if (many_.insert(node.bits).second) sources.push_back(node);
  }

  std::vector<Copy> copies_;
  std::vector<uint64_t> lists_;
  std::vector<uint32_t> asked_;  ///< per copy the last question that came by
  uint64_t shortened_from_ = definition::kUndefined, shortened_to_ = definition::kUndefined;
  uint32_t question_ = 0;
  std::unordered_set<uint64_t> many_;  ///< of the question `many_question_`, once it has many sources
  uint32_t many_question_ = 0;
  std::vector<uint64_t> open_;
  bool is_whole_ = true;  ///< what is read ends where a value does
};

}  // namespace culprit::depend
