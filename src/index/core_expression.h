// DWARF expressions evaluated in an activation that a core file holds.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>

#include "index/core_memory.h"

namespace culprit {

/// Reads the variable `die` at `address` (of the module as linked; `bias` is where it was loaded) in `frame`, whose
/// function is `function`. Nothing where it has no value there, or not all of its registers are known.
std::optional<int64_t> read_variable(Dwarf_Die& die, Dwarf_Die& function, Dwfl_Frame* frame, Dwarf_Addr address,
                                     Dwarf_Addr bias, const CoreMemory& memory);

}  // namespace culprit
