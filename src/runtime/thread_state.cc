#include "runtime/thread_state.h"

extern "C" __attribute__((visibility("hidden"))) constinit thread_local culprit::format::ThreadState culprit_thread = {};
