// The innermost activations may be of functions that the recursion only calls, and the very innermost has perhaps not
// stored its parameters yet. So the cycle is the shortest that repeats a few activations further out, and what changes
// is looked at from its second turn on.
#include "locate/recursion.h"

#include <algorithm>

#include "session/variables.h"

namespace culprit {
namespace {

constexpr size_t kMostFrames = size_t{1} << 21;
constexpr size_t kLongestCycle = 24, kMostInside = 24, kRepeated = 3;
constexpr size_t kTurns = 24, kLongestPeriod = 8;

struct Cycle {
  size_t first = 0;  ///< by position, an activation in it
  size_t length = 0;
};

std::optional<Cycle> find_cycle(const program::ProgramModel& model, const std::vector<Frame>& frames) {
  const auto function = [&](size_t each) { return model.function_of_block(frames[each].entry_block); };
  for (size_t first = 0; first < kMostInside; ++first) {
    for (size_t length = 1; length <= kLongestCycle; ++length) {
      if (first + (kRepeated + 1) * length >= frames.size()) break;
      bool repeats = true;
      for (size_t each = first; each < first + kRepeated * length && repeats; ++each) {
        repeats = function(each) == function(each + length);
      }
      if (repeats) return Cycle{.first = first, .length = length};
    }
  }
  return std::nullopt;
}

size_t period_of(const std::vector<std::string>& values) {
  for (size_t period = 1; period <= kLongestPeriod && 2 * period < values.size(); ++period) {
    if (std::equal(values.begin() + static_cast<long>(period), values.end(), values.begin())) return period;
  }
  return 0;
}

std::vector<Recursion::Argument> arguments_of(const ProcessMemory& memory, const program::ProgramModel& model,
                                              const std::vector<Frame>& frames, const Cycle& cycle) {
  std::vector<Recursion::Argument> arguments;
  for (size_t turn = 1; turn <= kTurns; ++turn) {
    const size_t at = cycle.first + turn * cycle.length;
    if (at >= frames.size()) break;
    for (const VariableValue& each : read_variables(memory, model, frames[at])) {
      if (model.variable(each.variable).argument == 0) continue;
      const auto known = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Recursion::Argument& other) { return other.name == each.name; });
      if (known != arguments.end()) {
        known->values.push_back(each.value);
      } else if (turn == 1) {
        arguments.push_back({.name = each.name, .values = {each.value}});
      }
    }
  }
  for (Recursion::Argument& each : arguments) each.period = period_of(each.values);
  return arguments;
}

}  // namespace

std::optional<Recursion> find_recursion(const ProcessMemory& memory, const program::ProgramModel& model,
                                        uint64_t innermost) {
  const std::vector<Frame> frames = read_frames(memory, innermost, kMostFrames);
  const std::optional<Cycle> cycle = find_cycle(model, frames);
  if (!cycle) return std::nullopt;
  Recursion recursion{.depth = frames.size(), .calls = {}, .arguments = arguments_of(memory, model, frames, *cycle)};
  for (size_t each = 1; each <= cycle->length; ++each) {
    recursion.calls.push_back(frames[cycle->first + each].statement);
  }
  return recursion;
}

}  // namespace culprit
