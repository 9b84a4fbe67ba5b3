// Events in words.
#pragma once

#include <string>

#include "recording/event_stream.h"

namespace culprit::recording {

/// "thread 0: read(…) = 5, wrote 5 bytes" without a line end.
std::string event_text(const EventRef& event);

/// "SIGSEGV", or "signal 40".
std::string signal_name(int number);

}  // namespace culprit::recording
