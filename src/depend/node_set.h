// Sets of nodes by their numbers: a bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace culprit::depend {

/// Words of 64 bits as one row; neighbouring bits may be looked at together. Memory that nothing was put into costs
/// nothing: the system gives pages of zeros when they are written.
class BitRow {
 public:
  explicit BitRow(uint64_t bits)
      : count_((bits + 63) / 64 + 1), words_(static_cast<uint64_t*>(std::calloc(count_, sizeof(uint64_t)))) {
    if (!words_) throw std::bad_alloc();
  }

  uint64_t& word(size_t number) { return words_.get()[number]; }
  uint64_t word(size_t number) const { return words_.get()[number]; }
  size_t words() const { return count_; }
  /// Bits [first, first + count), count 1 … 64, the first as the lowest.
  uint64_t range(uint64_t first, uint32_t count) const {
    const uint64_t shift = first % 64;
    uint64_t bits = word(first / 64) >> shift;
    if (shift + count > 64) bits |= word(first / 64 + 1) << (64 - shift);
    return bits & (~uint64_t{0} >> (64 - count));
  }

 private:
  struct Free {
    void operator()(uint64_t* words) const { std::free(words); }
  };
  size_t count_;
  std::unique_ptr<uint64_t, Free> words_;
};

/// Some of the numbers below a bound.
class NumberSet {
 public:
  explicit NumberSet(uint64_t bound) : row_(bound), used_(row_.words() / kWordsOfPart + 1) {}

  bool contains(uint64_t number) const { return (row_.word(number / 64) >> (number % 64) & 1) != 0; }
  void insert(uint64_t number) { insert_range(number, 1); }
  /// Those of [first, first + count) that are in, as bits; count 1 … 64.
  uint64_t range(uint64_t first, uint32_t count) const { return row_.range(first, count); }
  void insert_range(uint64_t first, uint64_t bits) {
    put(first / 64, bits << (first % 64));
    if (first % 64 != 0) put(first / 64 + 1, bits >> (64 - first % 64));
  }
  uint64_t size() const {
    uint64_t size = 0;
    for_each_word([&](size_t, uint64_t word) { size += static_cast<uint64_t>(std::popcount(word)); });
    return size;
  }
  bool empty() const { return next(0, kNothing) == kNothing; }
  /// Of the same bound.
  void keep_common(const NumberSet& other) {
    for_each_word([&](size_t at, uint64_t) { row_.word(at) &= other.row_.word(at); });
  }
  /// Calls `visit(number)`, ascending.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for_each_word([&](size_t at, uint64_t word) {
      for (; word != 0; word &= word - 1) visit(at * 64 + static_cast<uint64_t>(std::countr_zero(word)));
    });
  }
  /// The smallest that is not below `number`; `bound` when there is none.
  uint64_t next(uint64_t number, uint64_t bound) const {
    size_t at = number / 64;
    if (at >= row_.words()) return bound;
    uint64_t word = row_.word(at) & (~uint64_t{0} << (number % 64));
    while (word == 0) {
      ++at;
      while (at < row_.words() && used_[at / kWordsOfPart] == 0) at = (at / kWordsOfPart + 1) * kWordsOfPart;
      if (at >= row_.words()) return bound;
      word = row_.word(at);
    }
    return at * 64 + static_cast<uint64_t>(std::countr_zero(word));
  }

 private:
  static constexpr uint64_t kNothing = ~uint64_t{0};
  static constexpr size_t kWordsOfPart = 512;

  void put(size_t at, uint64_t bits) {
    row_.word(at) |= bits;
    used_[at / kWordsOfPart] = 1;
  }
  template <typename Visit>
  void for_each_word(Visit&& visit) const {
    for (size_t part = 0; part < used_.size(); ++part) {
      if (used_[part] == 0) continue;
      const size_t end = std::min(row_.words(), (part + 1) * kWordsOfPart);
      for (size_t at = part * kWordsOfPart; at < end; ++at) visit(at, row_.word(at));
    }
  }

  BitRow row_;
  std::vector<uint8_t> used_;  ///< parts of the row into which something was put
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
