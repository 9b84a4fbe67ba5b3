// Whether a call that may wait would come back at once: then its thread need not give up the baton.
#pragma once

#include "runtime/loader/calls.h"

namespace culprit::loader {

/// Of a call that reads: whether it would find something. Under chaos also of calls that open or write: else other
/// threads would run whenever the one of the highest priority uses a file, which is no schedule of these priorities.
bool is_ready(const Call& call);

}  // namespace culprit::loader
