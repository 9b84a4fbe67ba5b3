// The longest common subsequence of two sequences, by Myers' O(ND) algorithm in linear space (Myers, "An O(ND)
// Difference Algorithm and Its Variations", Algorithmica 1986, §4b): N elements of both, D that have no counterpart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace culprit {

/// `equal(i, j)`: whether element i of the left sequence may be paired with element j of the right one; it need not be
/// transitive.
template <typename Equal>
class CommonSubsequence {
 public:
  CommonSubsequence(uint32_t left, uint32_t right, Equal equal) : equal_(std::move(equal)) {
    forward_.resize(2 * (size_t{left} + right) + 3);
    backward_.resize(forward_.size());
    find({0, static_cast<int64_t>(left), 0, static_cast<int64_t>(right)});
  }

  /// Ascending on both sides.
  const std::vector<std::pair<uint32_t, uint32_t>>& pairs() const { return pairs_; }

 private:
  /// Left elements begin … end - 1 against right ones.
  struct Box {
    int64_t left_begin, left_end, right_begin, right_end;
  };
  /// A diagonal run of pairs in the middle of a shortest edit script.
  struct Snake {
    int64_t left_begin, right_begin, left_end, right_end;
  };

  bool same(int64_t left, int64_t right) { return equal_(static_cast<uint32_t>(left), static_cast<uint32_t>(right)); }
  void pair(int64_t left, int64_t right) {
    pairs_.emplace_back(static_cast<uint32_t>(left), static_cast<uint32_t>(right));
  }

  void find(Box box) {
    while (box.left_begin < box.left_end && box.right_begin < box.right_end && same(box.left_begin, box.right_begin)) {
      pair(box.left_begin++, box.right_begin++);
    }
    int64_t behind = 0;
    while (box.left_begin < box.left_end && box.right_begin < box.right_end &&
           same(box.left_end - 1, box.right_end - 1)) {
      --box.left_end;
      --box.right_end;
      ++behind;
    }
    if (box.left_begin < box.left_end && box.right_begin < box.right_end) {
      // At least two elements have no counterpart, so both parts are smaller.
      const Snake middle = middle_snake(box);
      find({box.left_begin, middle.left_begin, box.right_begin, middle.right_begin});
      for (int64_t each = 0; each < middle.left_end - middle.left_begin; ++each) {
        pair(middle.left_begin + each, middle.right_begin + each);
      }
      find({middle.left_end, box.left_end, middle.right_end, box.right_end});
    }
    for (int64_t each = 0; each < behind; ++each) pair(box.left_end + each, box.right_end + each);
  }

  /// From both ends at once until the ways meet. ways[k]: how far in the left sequence the farthest way on diagonal
  /// k = left - right has come, counted from the way's corner of the box; kNowhere: there is none.
  Snake middle_snake(const Box& box) {
    const int64_t lefts = box.left_end - box.left_begin, rights = box.right_end - box.right_begin;
    const int64_t delta = lefts - rights;
    const bool odd = (delta & 1) != 0;
    const auto corner = static_cast<int64_t>(forward_.size() / 2);
    int64_t begin = 0;
    for (int64_t steps = 0;; ++steps) {
      for (int64_t k = -steps; k <= steps; k += 2) {
        const int64_t x = go_on(&forward_[corner], steps, k, lefts, rights, begin, [&](int64_t left, int64_t right) {
          return same(box.left_begin + left, box.right_begin + right);
        });
        const int64_t other = delta - k;
        if (x != kNowhere && odd && other > -steps && other < steps && backward_[corner + other] != kNowhere &&
            x + backward_[corner + other] >= lefts) {
          return {box.left_begin + begin, box.right_begin + begin - k, box.left_begin + x, box.right_begin + x - k};
        }
      }
      for (int64_t k = -steps; k <= steps; k += 2) {
        const int64_t x = go_on(&backward_[corner], steps, k, lefts, rights, begin, [&](int64_t left, int64_t right) {
          return same(box.left_end - 1 - left, box.right_end - 1 - right);
        });
        const int64_t other = delta - k;
        if (x != kNowhere && !odd && other >= -steps && other <= steps && forward_[corner + other] != kNowhere &&
            x + forward_[corner + other] >= lefts) {
          return {box.left_end - x, box.right_end - (x - k), box.left_end - begin, box.right_end - (begin - k)};
        }
      }
    }
  }

  /// One element more without a counterpart, and along diagonal k; `begin`: where the pairs begin.
  template <typename Same>
  static int64_t go_on(int64_t* ways, int64_t steps, int64_t k, int64_t lefts, int64_t rights, int64_t& begin,
                       Same same) {
    int64_t x = steps == 0 ? 0 : kNowhere;
    if (k > -steps && ways[k - 1] != kNowhere && ways[k - 1] < lefts) x = ways[k - 1] + 1;
    if (k < steps && ways[k + 1] != kNowhere && ways[k + 1] - k <= rights) x = std::max(x, ways[k + 1]);
    begin = x;
    if (x != kNowhere) {
      while (x < lefts && x - k < rights && same(x, x - k)) ++x;
    }
    return ways[k] = x;
  }

  static constexpr int64_t kNowhere = -1;
  Equal equal_;
  std::vector<int64_t> forward_, backward_;
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;
};

/// Of sequences of `left` and `right` elements.
template <typename Equal>
std::vector<std::pair<uint32_t, uint32_t>> longest_common_subsequence(uint32_t left, uint32_t right, Equal equal) {
  return CommonSubsequence<Equal>(left, right, std::move(equal)).pairs();
}

}  // namespace culprit
