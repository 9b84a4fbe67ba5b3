#include "locate/next_steps.h"

#include <fmt/format.h>

#include "locate/failure.h"

namespace culprit {

void add_steps_without_failure(report::Explanation& explanation) {
  explanation.next_steps = {fmt::format("culprit why --expect GOOD_OUTPUT -- {}", explanation.command),
                            fmt::format("culprit record --chaos --until-failure -- {}", explanation.command)};
}

void add_next_steps(const HowItRan& run, report::Explanation& explanation) {
  const std::string& recording = run.recording;
  for (const report::Finding& finding : explanation.findings) {
    const bool branch = finding.kind.ends_with("-branch");
    const bool left_out = finding.kind.ends_with("-call") || finding.kind.ends_with("-write");
    if ((!branch && !left_out && !finding.instead) || !finding.proved || finding.instance == 0) continue;
    if (finding.executions == "later") continue;  // `culprit switch` has no such thing
    const std::string execution = finding.executions == "each" ? "" : fmt::format("#{}", finding.instance);
    const std::string value = finding.instead ? fmt::format(" --value {}", *finding.instead) : "";
    explanation.next_steps.push_back(fmt::format("culprit {} --at {}:{}{}{} -- {}", branch ? "switch" : "suppress",
                                                 file_and_line(finding.place), finding.place.column, execution, value,
                                                 recording.empty() ? explanation.command : recording));
    break;
  }
  if (run.scheduled) {
    // Plain runs do not fail.
    explanation.next_steps.push_back(fmt::format("culprit record --chaos --until-failure -- {}", explanation.command));
    return;
  }
  const report::SourcePlace& failed = explanation.failure->place;
  if (failed.line == 0) return;
  const std::string name = recording.empty() ? "recording" : recording;
  const std::string made =
      recording.empty() ? fmt::format("culprit record -o {} -- {}; ", name, explanation.command) : "";
  if (recording.empty() && !run.is_long) {
    explanation.next_steps.push_back(
        fmt::format("culprit slice --at {} -- {}", file_and_line(failed), explanation.command));
  } else {
    explanation.next_steps.push_back(fmt::format("{}culprit slice {} --at {}", made, name, file_and_line(failed)));
  }
  explanation.next_steps.push_back(
      fmt::format("{}culprit replay {} --to {}", made, name, run.crashed ? "crash" : file_and_line(failed)));
}

}  // namespace culprit
