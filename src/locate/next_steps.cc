#include "locate/next_steps.h"

#include <fmt/format.h>

#include <filesystem>

namespace culprit {

void add_steps_without_failure(report::Explanation& explanation) {
  explanation.next_steps = {fmt::format("culprit why --expect GOOD_OUTPUT -- {}", explanation.command),
                            fmt::format("culprit record --chaos --until-failure -- {}", explanation.command)};
}

void add_next_steps(const std::string& recording, bool crashed, bool scheduled, report::Explanation& explanation) {
  const auto at = [](const report::SourcePlace& place) {
    return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  };
  for (const report::Finding& finding : explanation.findings) {
    const bool branch = finding.kind.ends_with("-branch");
    const bool left_out = finding.kind.ends_with("-call") || finding.kind.ends_with("-write");
    if ((!branch && !left_out && !finding.instead) || !finding.proved || finding.instance == 0) continue;
    if (finding.executions == "later") continue;  // `culprit switch` has no such thing
    const std::string execution = finding.executions == "each" ? "" : fmt::format("#{}", finding.instance);
    const std::string value = finding.instead ? fmt::format(" --value {}", *finding.instead) : "";
    explanation.next_steps.push_back(fmt::format("culprit {} --at {}:{}{}{} -- {}", branch ? "switch" : "suppress",
                                                 at(finding.place), finding.place.column, execution, value,
                                                 recording.empty() ? explanation.command : recording));
    break;
  }
  if (scheduled) {
    // Plain runs do not fail.
    explanation.next_steps.push_back(fmt::format("culprit record --chaos --until-failure -- {}", explanation.command));
    return;
  }
  const report::SourcePlace& failed = explanation.failure->place;
  if (failed.line == 0) return;
  if (!recording.empty()) {
    explanation.next_steps.push_back(fmt::format("culprit slice {} --at {}", recording, at(failed)));
    explanation.next_steps.push_back(
        fmt::format("culprit replay {} --to {}", recording, crashed ? "crash" : at(failed)));
    return;
  }
  explanation.next_steps.push_back(fmt::format("culprit slice --at {} -- {}", at(failed), explanation.command));
  explanation.next_steps.push_back(fmt::format("culprit record -o recording -- {}; culprit replay recording --to {}",
                                               explanation.command, crashed ? "crash" : at(failed)));
}

}  // namespace culprit
