// Drives sessions from a command line, for tests and measurements:
//   drive-session RECORDING EXECUTABLE STATEMENT INSTANCE BLOCK WAY COUNT PARALLEL
// stops at the statement's instance, then COUNT times: forks there, switches the next execution of the branch at the
// end of BLOCK to WAY, finishes. Prints the first outcome and how many experiments a second were made.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <deque>

#include "base/error.h"
#include "recording/recording.h"
#include "session/session.h"

namespace {

uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

void drive(char** words) {
  using namespace culprit;
  const recording::Recording recording = recording::open_recording(words[1]);
  Session spine = Session::replay(recording, words[2]);
  const Point point{.kind = format::ReplayPoint::kStatement,
                    .thread = 0,
                    .statement = static_cast<uint32_t>(number(words[3])),
                    .number = number(words[4])};
  if (!spine.run_to(point)) throw UserError("the point is not reached: " + spine.outcome().said, "");
  const SwitchBranch branch{
      .block = static_cast<uint32_t>(number(words[5])), .way = static_cast<uint32_t>(number(words[6])), .number = 1};
  const uint64_t count = number(words[7]), parallel = number(words[8]);
  std::deque<Session> running;
  std::string first;
  const auto take = [&] {
    const Outcome outcome = running.front().outcome();
    const std::string text =
        fmt::format("state={} status={} signal={} switched={} hung={} output={}", static_cast<int>(outcome.state),
                    outcome.exit_status, outcome.exit_signal, outcome.took_effect, outcome.hung, outcome.output);
    if (first.empty()) first = text;
    if (text != first) throw UserError(fmt::format("two equal experiments end differently:\n{}\n{}", first, text), "");
    running.pop_front();
  };
  const auto began = std::chrono::steady_clock::now();
  for (uint64_t each = 0; each < count; ++each) {
    if (running.size() == parallel) take();
    running.push_back(spine.start_experiment(branch, 1'000'000'000));
  }
  while (!running.empty()) take();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const Outcome unaltered = spine.finish();
  fmt::print("{}\nunaltered: status={} signal={} said={}\nexperiments_per_s={:.0f}\n", first, unaltered.exit_status,
             unaltered.exit_signal, unaltered.said, static_cast<double>(count) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    fmt::print(stderr, "drive-session RECORDING EXECUTABLE STATEMENT INSTANCE BLOCK WAY COUNT PARALLEL\n");
    return 2;
  }
  try {
    drive(argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "drive-session: {}\n", error.what());
    return 1;
  }
}
