// Ending a recording before its program's end.
#pragma once

#include "recording/recording.h"

namespace culprit::recording {

/// Leaves only the first `events` events of a finished recording, with the copies of files that they tell of and the
/// children that were forked by then. `zstd_level` is the log's. Throws UserError when the log cannot be written; the
/// recording is then as it was.
void cut(Recording recording, uint64_t events, int zstd_level);

}  // namespace culprit::recording
