// Ticks: the software clock (DESIGN §3; software instruction counter of Mellor-Crummey and LeBlanc).
//
// A tick counts ThreadState::budget down and takes the slow path when it gets negative. Every cycle of control flow
// within a function and every cycle of direct calls passes one, but for counted loops; thunks tick for entries from
// outside. Ticks are placed once, before bodies part, so all bodies count alike. In loop nests that call nothing that
// could tick or look, the budget is kept in a register and stored back where control leaves the nest.
//
// The slow path is entered by a jump with the place to come back to in r11: nothing of the program's stack is touched,
// not even below the stack pointer. Other threads may run meanwhile, so memory counts as changed.
#pragma once

#include <llvm/IR/Module.h>

#include <cstddef>

namespace culprit {

struct TickPlaces {
  size_t ticks = 0;
  size_t counted_loops = 0;
};

/// With `fine` there are more, so that a scheduler can choose between any two accesses to memory that other threads may
/// see: before each of them, and before calls that leave instrumented code. No register holds the budget then.
TickPlaces place_ticks(llvm::Module& module, bool fine);

/// Assembly of the slow path's entry, used by ticks and thunks: continues at `resume` (a label) afterwards.
std::string tick_slow_assembly(const std::string& resume);

}  // namespace culprit
