// A hash of the program's memory, to compare the end of a replay with the end of the recorded run.
#pragma once

#include <stdint.h>

namespace culprit::loader {

/// Over address and contents of every private page that was written and is not all zeros. 0: not known
/// (a child that is not recorded, or /proc is not there).
uint32_t hash_program_memory();

}  // namespace culprit::loader
