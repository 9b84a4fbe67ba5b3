#include "cli/crashed_child.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "recording/children.h"
#include "recording/event_text.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

bool says_that_it_went_wrong(int signal) {
  constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  return std::find(std::begin(kSignals), std::end(kSignals), signal) != std::end(kSignals);
}

std::string end_text(const ObservedEnd& end) {
  if (WIFSIGNALED(end.wait_status)) return recording::signal_name(WTERMSIG(end.wait_status));
  return fmt::format("exit status {}", WEXITSTATUS(end.wait_status));
}

}  // namespace

std::optional<std::filesystem::path> crashed_child(const FirstRun& run) {
  const bool crashed = WIFSIGNALED(run.end.wait_status) && says_that_it_went_wrong(WTERMSIG(run.end.wait_status));
  if (crashed || !run.end.deadlock.empty()) return std::nullopt;
  for (const std::filesystem::path& each : recording::recordings_of_children(recording_of(run))) {
    if (says_that_it_went_wrong(recording::open_recording(each.string()).manifest.exit_signal)) return each;
  }
  return std::nullopt;
}

std::string name_for_child(const std::filesystem::path& recording) {
  return fmt::format("recording/children/{}", recording.filename().string());
}

void tell_of_child(const FirstRun& run, const std::string& command, report::Explanation& explanation) {
  if (!explanation.failure) return;
  explanation.failure->message = fmt::format(
      "A process that the program forked failed; the program itself ended with "
      "{}. Of that process: {}",
      end_text(run.end), explanation.failure->message);
  explanation.next_steps.insert(
      explanation.next_steps.begin(),
      fmt::format("culprit record -o recording -- {}; culprit info recording  (tells the children's numbers)",
                  command));
}

}  // namespace culprit::cli
