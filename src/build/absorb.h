// Shared libraries that were built with the program and carry bitcode too: their units join the program's.
#pragma once

#include <vector>

#include "capture/capture.h"

namespace culprit {

struct AbsorbedLibraries {
  std::vector<Capture> libraries;         ///< in the dynamic linker's order of lookup: breadth first
  std::vector<size_t> constructor_order;  ///< indices into `libraries`: what a library needs comes before it
};

/// Follows the link records from the program on. Throws UserError when such a library is gone.
AbsorbedLibraries absorbed_libraries(const Capture& program);

}  // namespace culprit
