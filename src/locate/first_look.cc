#include "locate/first_look.h"

#include "base/shell_command.h"

namespace culprit {

FirstLook look_first(const Launch& launch, const Expectation& expectation, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  const CommandResult ran = run_captured({.executable = launch.executable,
                                          .words = launch.arguments,
                                          .input = launch.standard_input,
                                          .environment = {},
                                          .enough = [until] { return std::chrono::steady_clock::now() > until; }});
  if (ran.stopped) return FirstLook::kTakesLong;
  ObservedEnd end;
  end.wait_status = ran.end.signal != 0 ? ran.end.signal : ran.end.exit_status << 8;
  end.output = ran.output;
  return recognise_end(end, expectation) ? FirstLook::kFails : FirstLook::kPasses;
}

}  // namespace culprit
