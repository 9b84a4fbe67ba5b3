// Files of an altered run. Nothing real is open in a replaying process; so that an altered run can read on where the
// recorded one stopped, the replay keeps which file each descriptor is and how far it was read. An altered run then
// opens the file anew, for reading only. What it writes counts as written and goes nowhere.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// A call of the replayed or the altered program has had this result: which file its descriptors are, and where in it.
void follow_files(const Call& call, long result);

/// Answers a call of an altered run on a descriptor. False when that is not of a file that can be opened again.
bool answer_from_open_file(const Call& call, long& result);

/// Answers a call of an altered run that opens files, looks at names or copies descriptors. False when it does not.
bool answer_about_names(const Call& call, long& result);

/// A real descriptor of the file, for mapping it; -1 when there is none.
int real_descriptor(uint64_t fd);

/// kShowOnOutput or kShowOnError when the descriptor is still the program's first output or error, else 0.
uint8_t first_output(uint64_t fd);

}  // namespace culprit::loader
