#include "depend/variable_walks.h"

namespace culprit::depend {
namespace {

/// In bytes, either way: more is no walk over elements.
constexpr uint64_t kLongestStep = 4096;

bool is_step(uint64_t step) {
  return step != 0 && (step <= kLongestStep || -step <= kLongestStep);
}

bool holds(const VariableExtent& variable, uint64_t address) {
  return address - variable.first < variable.end - variable.first;
}

}  // namespace

std::optional<VariableWalks::Left> VariableWalks::wrote(uint32_t activation, uint32_t operation, uint64_t address,
                                                        NodeNumber node) {
  if (operation >= walk_of_.size()) walk_of_.resize(operation + size_t{1});
  uint32_t& number = walk_of_[operation];
  if (number == 0) {
    walks_.emplace_back();
    number = static_cast<uint32_t>(walks_.size());
  }
  Walk& walk = walks_[number - 1];
  const uint64_t step = address - walk.last;
  const bool goes_on = walk.activation == activation && is_step(step);
  std::optional<Left> left;
  const bool goes_on_evenly = goes_on && step == walk.step;
  if (goes_on && holds(walk.in, address)) {
    walk.went_on = true;
  } else if (goes_on_evenly && walk.went_on) {
    left = {walk.in, walk.node};
    walk.went_on = false;
    walk.in = {};
    walk.has_left = true;
  } else if (!goes_on_evenly || !walk.has_left) {
    walk.went_on = walk.has_left = false;
    walk.in = variables_.at(address).value_or(VariableExtent{});
  }
  walk.step = goes_on ? step : 0;
  walk.activation = activation;
  walk.last = address;
  walk.node = node;
  return left;
}

}  // namespace culprit::depend
