// What a tick does when its budget is spent.
#pragma once

#include "runtime/tick_save.h"

extern "C" {
extern thread_local culprit::runtime::TickSave culprit_tick_save __attribute__((tls_model("local-exec")));

/// Called by culprit_tick_slow on the runtime's stack, with signals blocked.
void culprit_tick_slow_part(culprit::runtime::TickSave* save);
}
