// Sets of numbers that grow from each other: those of all values of a run, of which most have most in common.
//
// A set is a binary tree over the numbers with words of 64 bits as leaves. Equal trees are one tree (they are
// interned), so a set is known by one number, equality is a comparison, a set that is another with one number more
// costs a path of new nodes, and a union looks at what two trees do not share. Unions found are remembered in a table
// of fixed size that forgets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depend/node_set.h"

namespace culprit::depend {

/// Of one OrdinalSets: equal sets have equal numbers.
using OrdinalSet = uint32_t;
inline constexpr OrdinalSet kEmptySet = 0;

class OrdinalSets {
 public:
  /// Of numbers below `bound`.
  explicit OrdinalSets(uint64_t bound) : bound_(bound), known_(kKnown) {
    while ((uint64_t{kLeafBits} << levels_) < bound) ++levels_;
    leaves_.push_back(0);
    nodes_.push_back({0, 0});
  }

  OrdinalSet only(uint64_t number) {
    OrdinalSet at = leaf(uint64_t{1} << (number % kLeafBits));
    number /= kLeafBits;
    for (uint32_t level = 0; level < levels_; ++level, number /= 2) {
      at = (number & 1) != 0 ? node({0, at}) : node({at, 0});
    }
    return at;
  }
  /// Of the same bound.
  OrdinalSet of(const NumberSet& numbers) { return of(numbers, levels_, 0); }
  OrdinalSet joined(OrdinalSet one, OrdinalSet other) { return joined(levels_, one, other); }

  bool contains(OrdinalSet set, uint64_t number) const {
    for (uint32_t level = levels_; level-- > 0 && set != kEmptySet;) {
      set = (number / kLeafBits >> level & 1) != 0 ? nodes_[set].second : nodes_[set].first;
    }
    return (leaves_[set] >> (number % kLeafBits) & 1) != 0;
  }
  /// Calls `visit(number)`, ascending.
  template <typename Visit>
  void for_each(OrdinalSet set, Visit&& visit) const {
    for_each(levels_, set, 0, visit);
  }
  uint64_t size(OrdinalSet set) const {
    uint64_t size = 0;
    for_each(set, [&](uint64_t) { ++size; });
    return size;
  }
  /// How many trees and leaves there are.
  size_t nodes() const { return nodes_.size() + leaves_.size(); }

 private:
  static constexpr uint32_t kLeafBits = 64;
  static constexpr size_t kKnown = 1 << 18;
  using Halves = std::pair<uint32_t, uint32_t>;
  struct Hash {
    size_t operator()(const Halves& halves) const { return mixed(uint64_t{halves.first} << 32 | halves.second); }
    size_t operator()(uint64_t word) const { return mixed(word); }
  };
  struct Union {
    uint64_t sets = 0;
    uint32_t level = 0;
    OrdinalSet result = kEmptySet;
  };

  static uint64_t mixed(uint64_t word) {
    word *= 0x9e3779b97f4a7c15;
    return word ^ word >> 29;
  }

  OrdinalSet leaf(uint64_t bits) {
    const auto [at, is_new] = leaf_of_.try_emplace(bits, static_cast<uint32_t>(leaves_.size()));
    if (is_new) leaves_.push_back(bits);
    return at->second;
  }
  OrdinalSet node(Halves halves) {
    const auto [at, is_new] = node_of_.try_emplace(halves, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(halves);
    return at->second;
  }

  OrdinalSet of(const NumberSet& numbers, uint32_t level, uint64_t first) {
    if (first >= bound_) return kEmptySet;
    if (level == 0) {
      const uint64_t bits = numbers.range(first, static_cast<uint32_t>(std::min<uint64_t>(kLeafBits, bound_ - first)));
      return bits == 0 ? kEmptySet : leaf(bits);
    }
    const OrdinalSet low = of(numbers, level - 1, first);
    const OrdinalSet high = of(numbers, level - 1, first + (uint64_t{kLeafBits} << (level - 1)));
    return low == kEmptySet && high == kEmptySet ? kEmptySet : node({low, high});
  }

  OrdinalSet joined(uint32_t level, OrdinalSet one, OrdinalSet other) {
    if (one == other || other == kEmptySet) return one;
    if (one == kEmptySet) return other;
    if (level == 0) return leaf(leaves_[one] | leaves_[other]);
    if (one > other) std::swap(one, other);
    const uint64_t sets = uint64_t{one} << 32 | other;
    const size_t at = mixed(sets + level) % kKnown;
    if (known_[at].sets == sets && known_[at].level == level) return known_[at].result;
    const Halves left = nodes_[one], right = nodes_[other];
    const OrdinalSet low = joined(level - 1, left.first, right.first);
    const OrdinalSet high = joined(level - 1, left.second, right.second);
    const OrdinalSet result = node({low, high});
    known_[at] = {sets, level, result};
    return result;
  }

  template <typename Visit>
  void for_each(uint32_t level, OrdinalSet set, uint64_t first, Visit&& visit) const {
    if (set == kEmptySet) return;
    if (level == 0) {
      for (uint64_t bits = leaves_[set]; bits != 0; bits &= bits - 1) {
        visit(first + static_cast<uint64_t>(std::countr_zero(bits)));
      }
      return;
    }
    for_each(level - 1, nodes_[set].first, first, visit);
    for_each(level - 1, nodes_[set].second, first + (uint64_t{kLeafBits} << (level - 1)), visit);
  }

  uint64_t bound_;
  uint32_t levels_ = 0;  ///< above the leaves
  // The empty set is number 0 at every level: of the leaves, the one without bits; of the nodes, one without halves.
  std::vector<uint64_t> leaves_;
  std::vector<Halves> nodes_;
  std::unordered_map<uint64_t, uint32_t, Hash> leaf_of_;
  std::unordered_map<Halves, uint32_t, Hash> node_of_;
  std::vector<Union> known_;
};

}  // namespace culprit::depend
