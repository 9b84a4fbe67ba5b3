// What values have of the program's inputs (ED §4.1): DERIVED, CINFLUENCED and AINFLUENCED, each byte with its
// strength.
//
// A set is kept as two: the bytes in it, and those of them of which the precise value matters ("c="). Union then is
// union, and of c and c= the stronger stays by itself; weakening empties the second. Chains of mapped values (c= ->
// d(var@s)) are kept for DERIVED, as in ED fig. 4.5; in CINFLUENCED there is the byte where they begin.
//
// Values are interned, and so is what was computed of them: a value is one number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depend/node_set.h"
#include "depend/ordinal_sets.h"

namespace culprit::depend {

enum class InputRole : uint8_t { kDerived, kControl, kAddress };
inline constexpr size_t kInputRoles = 3;

/// Of one InputValues: equal values have equal numbers.
using InputValue = uint32_t;
inline constexpr InputValue kNoInput = 0;

/// A link of a chain: that the byte, or what the chain so far gave, had a precise value and therefore a store ran.
struct ChainLink {
  uint32_t before;     ///< link, or kNoLink: it begins with the byte
  uint64_t ordinal;    ///< of the byte
  uint32_t operation;  ///< the store of the constant
  uint32_t length;     ///< of the chain up to here
  bool operator==(const ChainLink&) const = default;
};
inline constexpr uint32_t kNoLink = 0;

class InputValues {
 public:
  struct Sets {
    std::array<OrdinalSet, kInputRoles> all{}, precise{};
    uint32_t chains = 0;
    bool operator==(const Sets&) const = default;
  };

  /// Of bytes with ordinals below `bound`.
  explicit InputValues(uint64_t bound) : sets_(bound), known_(kKnown) {
    values_.emplace_back();
    links_.emplace_back();
    chains_.emplace_back();
  }

  OrdinalSet set_of(const NumberSet& ordinals) { return sets_.of(ordinals); }
  InputValue value(const Sets& sets) { return intern(sets); }
  /// {ordinal=} {} {}
  InputValue byte(uint64_t ordinal);
  InputValue joined(InputValue one, InputValue other);
  /// No byte's precise value matters any more.
  InputValue weakened(InputValue value);
  /// What a value contributes to another that it chose the memory of.
  InputValue through_address(InputValue value);
  /// What a predicate contributes to what it decides on.
  InputValue through_control(InputValue predicate);
  /// The mapping of a predicate's precise bytes to the constant that `operation` stores.
  InputValue mapped(InputValue predicate, uint32_t operation);

  bool is_derived(InputValue value) const { return values_[value].all[0] != kEmptySet; }
  const Sets& sets(InputValue value) const { return values_[value]; }
  const OrdinalSets& ordinals() const { return sets_; }
  const std::vector<uint32_t>& chains(InputValue value) const { return chains_[values_[value].chains]; }
  const ChainLink& link(uint32_t number) const { return links_[number]; }
  size_t values() const { return values_.size(); }

 private:
  static constexpr size_t kKnown = 1 << 18;
  /// Longer chains, and more of them at once, are not followed: loops over states would make them without end.
  static constexpr uint32_t kLongestChain = 16;
  static constexpr size_t kMostChains = 64;
  enum Operation : uint32_t { kNothing, kJoin, kWeaken, kAddress, kControl, kMap };
  struct Known {
    uint64_t operands = 0;
    Operation operation = kNothing;
    InputValue result = kNoInput;
  };
  struct Hash {
    size_t operator()(const Sets& sets) const;
    size_t operator()(const ChainLink& link) const;
    size_t operator()(const std::vector<uint32_t>& chains) const;
  };

  InputValue intern(const Sets& sets);
  uint32_t intern_chains(std::vector<uint32_t> chains);
  uint32_t intern_link(const ChainLink& link);
  uint32_t joined_chains(uint32_t one, uint32_t other);
  bool begins(uint32_t shorter, uint32_t longer) const;
  template <typename Compute>
  InputValue once(Operation operation, uint64_t one, uint64_t other, Compute&& compute);

  OrdinalSets sets_;
  std::vector<Sets> values_;
  std::unordered_map<Sets, InputValue, Hash> value_of_;
  std::vector<ChainLink> links_;
  std::unordered_map<ChainLink, uint32_t, Hash> link_of_;
  std::vector<std::vector<uint32_t>> chains_;  ///< sets of chains, by their last links, ascending
  std::unordered_map<std::vector<uint32_t>, uint32_t, Hash> chains_of_;
  std::vector<Known> known_;
};

}  // namespace culprit::depend
