// The calls that filled the stack: how they go round, how deep they went, and what changes from one turn to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program_model.h"
#include "session/frames.h"

namespace culprit {

struct Recursion {
  struct Argument {
    std::string name;
    std::vector<std::string> values;  ///< of successive turns, innermost first
    /// It comes back to a value after so many turns, 1: it does not change; 0: neither.
    size_t period = 0;
  };
  uint64_t depth = 0;               ///< activations in all
  std::vector<uint32_t> calls;      ///< statements, the innermost first: each called the one before, the first the last
  std::vector<Argument> arguments;  ///< of the function that the first of them called
};

/// `innermost`: address of the innermost frame record of a program that is stopped. Nothing when no calls repeat.
std::optional<Recursion> find_recursion(const ProcessMemory& memory, const program::ProgramModel& model,
                                        uint64_t innermost);

}  // namespace culprit
