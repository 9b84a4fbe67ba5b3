// One layout for all plans of a program. What a program can see of its executable (thunks, native code, constants,
// variables) comes from objects that all plans share and lies at the same addresses; what differs from plan to plan
// (observed bodies and what they bring, and the linker's own tables) lies apart.
#pragma once

#include <string>
#include <vector>

#include "build/link.h"

namespace culprit {

/// The linker script for lld. Objects whose file names begin with kObservedObjectPrefix are the plan's own.
std::string layout_script(Loading loading);

/// The linker's options for a script of that name.
std::vector<std::string> layout_options(const std::string& script);

}  // namespace culprit
