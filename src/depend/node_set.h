// Sets of nodes by their numbers: a bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace culprit::depend {

/// Words of 64 bits as one row; neighbouring bits may be looked at together.
class BitRow {
 public:
  explicit BitRow(uint64_t bits) : words_((bits + 63) / 64 + 1) {}

  uint64_t& word(size_t number) { return words_[number]; }
  uint64_t word(size_t number) const { return words_[number]; }
  size_t words() const { return words_.size(); }
  /// Bits [first, first + count), count 1 … 64, the first as the lowest.
  uint64_t range(uint64_t first, uint32_t count) const {
    const uint64_t shift = first % 64;
    uint64_t bits = words_[first / 64] >> shift;
    if (shift + count > 64) bits |= words_[first / 64 + 1] << (64 - shift);
    return bits & (~uint64_t{0} >> (64 - count));
  }

 private:
  std::vector<uint64_t> words_;
};

/// Some of the numbers below a bound.
class NumberSet {
 public:
  explicit NumberSet(uint64_t bound) : row_(bound) {}

  bool contains(uint64_t number) const { return (row_.word(number / 64) >> (number % 64) & 1) != 0; }
  void insert(uint64_t number) { row_.word(number / 64) |= uint64_t{1} << (number % 64); }
  /// Those of [first, first + count) that are in, as bits; count 1 … 64.
  uint64_t range(uint64_t first, uint32_t count) const { return row_.range(first, count); }
  void insert_range(uint64_t first, uint64_t bits) {
    const uint64_t shift = first % 64;
    row_.word(first / 64) |= bits << shift;
    if (shift != 0) row_.word(first / 64 + 1) |= bits >> (64 - shift);
  }
  uint64_t size() const {
    uint64_t size = 0;
    for (size_t each = 0; each < row_.words(); ++each) size += static_cast<uint64_t>(std::popcount(row_.word(each)));
    return size;
  }
  bool empty() const { return next(0, kNothing) == kNothing; }
  void keep_common(const NumberSet& other) {
    for (size_t each = 0; each < row_.words(); ++each) row_.word(each) &= other.row_.word(each);
  }
  /// Calls `visit(number)`, ascending.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (size_t each = 0; each < row_.words(); ++each) {
      for (uint64_t word = row_.word(each); word != 0; word &= word - 1) {
        visit(each * 64 + static_cast<uint64_t>(std::countr_zero(word)));
      }
    }
  }
  /// The smallest that is not below `number`; `bound` when there is none.
  uint64_t next(uint64_t number, uint64_t bound) const {
    size_t at = number / 64;
    if (at >= row_.words()) return bound;
    uint64_t word = row_.word(at) & (~uint64_t{0} << (number % 64));
    while (word == 0) {
      if (++at == row_.words()) return bound;
      word = row_.word(at);
    }
    return at * 64 + static_cast<uint64_t>(std::countr_zero(word));
  }

 private:
  static constexpr uint64_t kNothing = ~uint64_t{0};
  BitRow row_;
};

/// Numbers that wait; the largest comes next. Levels of words say which words of the level below are not zero, so what
/// is empty is passed over quickly.
class LargestFirst {
 public:
  explicit LargestFirst(uint64_t bound) {
    do {
      levels_.emplace_back(bound);
      bound = levels_.back().words();
    } while (bound > 2);
  }

  void insert(uint64_t number) {
    top_ = std::max(top_, number / 64);
    for (BitRow& level : levels_) {
      uint64_t& word = level.word(number / 64);
      const bool had_some = word != 0;
      word |= uint64_t{1} << (number % 64);
      if (had_some) return;
      number /= 64;
    }
  }
  /// Nothing at the end.
  std::optional<uint64_t> largest() {
    if (levels_.front().word(top_) == 0 && !find_top()) return std::nullopt;
    return top_ * 64 + 63 - static_cast<uint64_t>(std::countl_zero(levels_.front().word(top_)));
  }
  /// Those of [first, first + count) that wait, as bits; they do so no longer. Count 1 … 64.
  uint64_t take_range(uint64_t first, uint32_t count) {
    const uint64_t bits = levels_.front().range(first, count);
    const uint64_t shift = first % 64;
    remove(first / 64, bits << shift);
    if (shift + count > 64) remove(first / 64 + 1, bits >> (64 - shift));
    return bits;
  }

 private:
  void remove(uint64_t at, uint64_t bits) {
    for (BitRow& level : levels_) {
      uint64_t& word = level.word(at);
      const bool had_some = word != 0;
      word &= ~bits;
      if (!had_some || word != 0) return;
      bits = uint64_t{1} << (at % 64);
      at /= 64;
    }
  }

  /// Words behind `top_` are zero, and so is its own.
  bool find_top() {
    for (int near = 0; near < kNear && top_ > 0; ++near) {
      if (levels_.front().word(--top_) != 0) return true;
    }
    const BitRow& highest = levels_.back();
    size_t at = highest.words();
    while (at > 0 && highest.word(at - 1) == 0) --at;
    if (at == 0) return false;
    uint64_t number = at - 1;
    for (size_t level = levels_.size(); level-- > 1;) {
      number = number * 64 + 63 - static_cast<uint64_t>(std::countl_zero(levels_[level].word(number)));
    }
    top_ = number;
    return true;
  }

  static constexpr int kNear = 4;
  std::vector<BitRow> levels_;
  uint64_t top_ = 0;
};

}  // namespace culprit::depend
