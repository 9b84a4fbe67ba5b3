// Goes to random moments of a replay by a timeline, for tests and measurements:
//   drive-timeline RECORDING COUNT COMPARE
// With COMPARE 1 each moment is also reached from a fresh start, and what is found there compared.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "recording/recording.h"
#include "session/timeline.h"

namespace {

using namespace culprit;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// From there to the end the log checks what the program does.
void compare(const recording::Recording& recording, const Moment& moment, Timeline::Standing& found) {
  Session fresh = Session::replay(recording, "");
  const auto there =
      fresh.run_to({.kind = format::ReplayPoint::kTick, .thread = moment.thread, .number = moment.ticks});
  if (!there || there->instruction != found.position.instruction) {
    throw UserError(fmt::format("tick {} is not the same from a fresh start", moment.ticks), "");
  }
  const Outcome outcome = found.session.finish();
  if (outcome.state != format::ReplayState::kFinished) {
    throw UserError(fmt::format("from tick {} the replay does not end: {}", moment.ticks, outcome.said), "");
  }
}

void drive(char** words) {
  const recording::Recording recording = recording::open_recording(words[1]);
  Timeline timeline(Session::replay(recording, ""), recording);
  const Clock::time_point pass = Clock::now();
  timeline.pass();
  const double pass_seconds = seconds_since(pass);
  std::mt19937_64 chance(1);
  std::vector<double> seconds;
  for (uint64_t each = 0; each < std::strtoull(words[2], nullptr, 10); ++each) {
    const Moment moment = timeline.moment(1 + chance() % (timeline.length() - 1));
    const Clock::time_point start = Clock::now();
    auto found = timeline.at(moment);
    seconds.push_back(seconds_since(start));
    if (!found || found->position.thread != moment.thread || found->position.ticks != moment.ticks) {
      throw UserError(fmt::format("thread {} is not found at tick {}", moment.thread, moment.ticks), "");
    }
    if (words[3][0] == '1') compare(recording, moment, *found);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("pass_s={:.2f} median_s={:.3f} worst_s={:.3f} kept={} mem_mib={}\n", pass_seconds,
             seconds[seconds.size() / 2], seconds.back(), timeline.copies(), timeline.memory() >> 20);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "drive-timeline RECORDING COUNT COMPARE\n");
    return 2;
  }
  try {
    drive(argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "drive-timeline: {}\n", error.what());
    return 1;
  }
}
