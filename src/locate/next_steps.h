// Commands with which the reader of an explanation can go on.
#pragma once

#include <cstdint>
#include <string>

#include "report/explanation.h"

namespace culprit {

/// What may be meant by who asks why a run fails that does not.
void add_steps_without_failure(report::Explanation& explanation);

struct HowItRan {
  std::string recording{};  ///< name of the one that was asked about; empty: the program was run
  bool crashed = false;
  bool scheduled = false;   ///< it fails under some schedules of its threads only
  bool is_long = false;     ///< so only its end was traced
};

/// Commands with which the reader can look at what was found.
void add_next_steps(const HowItRan& run, report::Explanation& explanation);

}  // namespace culprit
