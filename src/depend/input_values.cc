#include "depend/input_values.h"

#include <algorithm>

namespace culprit::depend {
namespace {

constexpr size_t kDerived = static_cast<size_t>(InputRole::kDerived);
constexpr size_t kControlled = static_cast<size_t>(InputRole::kControl);
constexpr size_t kAddressed = static_cast<size_t>(InputRole::kAddress);

uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

}  // namespace

size_t InputValues::Hash::operator()(const Sets& sets) const {
  uint64_t hash = sets.chains;
  for (size_t role = 0; role < kInputRoles; ++role) {
    hash = mixed(hash, uint64_t{sets.all[role]} << 32 | sets.precise[role]);
  }
  return hash;
}

size_t InputValues::Hash::operator()(const ChainLink& link) const {
  return mixed(mixed(link.ordinal, link.before), link.operation);
}

size_t InputValues::Hash::operator()(const std::vector<uint32_t>& chains) const {
  uint64_t hash = chains.size();
  for (const uint32_t each : chains) hash = mixed(hash, each);
  return hash;
}

InputValue InputValues::intern(const Sets& sets) {
  if (sets == Sets{}) return kNoInput;
  const auto [at, is_new] = value_of_.try_emplace(sets, static_cast<InputValue>(values_.size()));
  if (is_new) values_.push_back(sets);
  return at->second;
}

template <typename Compute>
InputValue InputValues::once(Operation operation, uint64_t one, uint64_t other, Compute&& compute) {
  const uint64_t operands = one << 32 | other;
  Known& known = known_[mixed(operation, operands) % kKnown];
  if (known.operation == operation && known.operands == operands) return known.result;
  const InputValue result = compute();
  known = {operands, operation, result};
  return result;
}

InputValue InputValues::byte(uint64_t ordinal) {
  Sets sets;
  sets.all[kDerived] = sets.precise[kDerived] = sets_.only(ordinal);
  return intern(sets);
}

InputValue InputValues::joined(InputValue one, InputValue other) {
  if (one == other || other == kNoInput) return one;
  if (one == kNoInput) return other;
  if (one > other) std::swap(one, other);
  return once(kJoin, one, other, [&] {
    Sets sets;
    for (size_t role = 0; role < kInputRoles; ++role) {
      sets.all[role] = sets_.joined(values_[one].all[role], values_[other].all[role]);
      sets.precise[role] = sets_.joined(values_[one].precise[role], values_[other].precise[role]);
    }
    sets.chains = joined_chains(values_[one].chains, values_[other].chains);
    return intern(sets);
  });
}

InputValue InputValues::weakened(InputValue value) {
  if (value == kNoInput) return kNoInput;
  return once(kWeaken, value, 0, [&] {
    Sets sets;
    sets.all = values_[value].all;
    return intern(sets);
  });
}

InputValue InputValues::through_address(InputValue value) {
  if (value == kNoInput) return kNoInput;
  return once(kAddress, value, 0, [&] {
    Sets sets;
    for (size_t role = 0; role < kInputRoles; ++role) {
      sets.all[kAddressed] = sets_.joined(sets.all[kAddressed], values_[value].all[role]);
      sets.precise[kAddressed] = sets_.joined(sets.precise[kAddressed], values_[value].precise[role]);
    }
    return intern(sets);
  });
}

InputValue InputValues::through_control(InputValue predicate) {
  if (predicate == kNoInput) return kNoInput;
  return once(kControl, predicate, 0, [&] {
    const Sets& of = values_[predicate];
    Sets sets;
    sets.all[kControlled] = sets_.joined(of.all[kDerived], of.all[kControlled]);
    sets.precise[kControlled] = sets_.joined(of.precise[kDerived], of.precise[kControlled]);
    sets.all[kAddressed] = of.all[kAddressed];
    sets.precise[kAddressed] = of.precise[kAddressed];
    return intern(sets);
  });
}

InputValue InputValues::mapped(InputValue predicate, uint32_t operation) {
  if (values_[predicate].precise[kDerived] == kEmptySet) return kNoInput;
  return once(kMap, predicate, operation, [&] {
    const Sets of = values_[predicate];
    std::vector<uint32_t> begun, chains;
    for (const uint32_t each : chains_[of.chains]) {
      const ChainLink last = links_[each];
      begun.push_back(each);
      chains.push_back(last.length < kLongestChain ? intern_link({each, last.ordinal, operation, last.length + 1})
                                                   : each);
    }
    sets_.for_each(of.precise[kDerived], [&](uint64_t ordinal) {
      const bool goes_on =
          std::any_of(begun.begin(), begun.end(), [&](uint32_t each) { return links_[each].ordinal == ordinal; });
      if (!goes_on && chains.size() <= kMostChains) chains.push_back(intern_link({kNoLink, ordinal, operation, 1}));
    });
    Sets sets;
    sets.all[kDerived] = sets.precise[kDerived] = of.precise[kDerived];
    if (chains.size() <= kMostChains) {
      std::sort(chains.begin(), chains.end());
      sets.chains = intern_chains(std::move(chains));
    }
    return intern(sets);
  });
}

uint32_t InputValues::intern_chains(std::vector<uint32_t> chains) {
  if (chains.empty()) return 0;
  const auto [at, is_new] = chains_of_.try_emplace(chains, static_cast<uint32_t>(chains_.size()));
  if (is_new) chains_.push_back(std::move(chains));
  return at->second;
}

uint32_t InputValues::intern_link(const ChainLink& link) {
  const auto [at, is_new] = link_of_.try_emplace(link, static_cast<uint32_t>(links_.size()));
  if (is_new) links_.push_back(link);
  return at->second;
}

bool InputValues::begins(uint32_t shorter, uint32_t longer) const {
  while (longer != kNoLink && links_[longer].length > links_[shorter].length) longer = links_[longer].before;
  return longer == shorter;
}

/// Of two chains of which one begins the other, the longer stays.
uint32_t InputValues::joined_chains(uint32_t one, uint32_t other) {
  if (one == other || other == 0) return one;
  if (one == 0) return other;
  std::vector<uint32_t> all;
  std::set_union(chains_[one].begin(), chains_[one].end(), chains_[other].begin(), chains_[other].end(),
                 std::back_inserter(all));
  std::vector<uint32_t> kept;
  for (const uint32_t each : all) {
    const bool goes_on =
        std::any_of(all.begin(), all.end(), [&](uint32_t longer) { return longer != each && begins(each, longer); });
    if (!goes_on) kept.push_back(each);
  }
  return kept.size() <= kMostChains ? intern_chains(std::move(kept)) : 0;
}

}  // namespace culprit::depend
