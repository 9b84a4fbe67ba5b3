// A hash of the program's memory, to compare the end of a replay with the end of the recorded run.
#pragma once

#include "runtime/loader/log_writer.h"

namespace culprit::loader {

/// Over address and contents of every private page that was written and is not all zeros. 0: not known
/// (a child that is not recorded, or /proc is not there).
uint32_t hash_program_memory();

/// Hash of what all plans of a program share: variables, heap made by brk, user stacks. Words that point to code or
/// machine stacks count as zero, also as setjmp stores them, and so does what lies around the thread's own variables. A
/// program that is not captured shares nothing with another: 0.
uint32_t hash_shared_memory();

/// Both, as the last event has them.
struct FinalMemory {
  FinalMemory();
  /// Of two plans of a program only what they share is compared.
  bool differs(const format::Event& recorded) const;

  uint32_t all;
  uint32_t shared;
  PartSource part;
};

}  // namespace culprit::loader
