#include "session/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <unordered_map>

namespace culprit {

using format::EventKind;
using format::ReplayPoint;

namespace {

/// The number of kB in the line of a /proc file that begins with `name`, in bytes; 0 when there is none.
uint64_t bytes_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    uint64_t kilobytes = 0;
    if (word == name && file >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

}  // namespace

Timeline::Timeline(Session start, const recording::Recording& recording, const Limits& limits) : limits_(limits) {
  if (limits_.memory == 0) limits_.memory = bytes_in("/proc/meminfo", "MemAvailable:") / 4;
  read_schedule(recording.stream);
  copies_.push_back({{std::move(start), {}}, 0});
}

void Timeline::read_schedule(const recording::EventStream& stream) {
  constexpr uint64_t kMostTicks = uint64_t{1} << 62;  // calls inside a tick are made at no tick
  struct Progress {
    uint64_t ticks = 0;
    uint64_t event = 0;  ///< the thread's last one, after which it runs up to the next
  };
  std::unordered_map<uint32_t, Progress> threads;
  uint64_t number = 0;
  stream.for_each([&](const recording::EventRef& ref) {
    const format::Event& event = *ref.event;
    Progress& progress = threads[event.thread];
    const bool ticks_known =
        event.kind == EventKind::kCall || event.kind == EventKind::kPreempt || event.kind == EventKind::kFault;
    if (ticks_known && event.ticks < kMostTicks && event.ticks > progress.ticks) {
      stretches_.push_back({event.thread, progress.event, progress.ticks, event.ticks, 0});
      progress.ticks = event.ticks;
    }
    progress.event = number++;
    return true;
  });
  std::sort(stretches_.begin(), stretches_.end(),
            [](const Stretch& one, const Stretch& other) { return one.event < other.event; });
  for (Stretch& each : stretches_) {
    each.elapsed = length_;
    length_ += each.until - each.from;
  }
}

Moment Timeline::moment(uint64_t elapsed) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), elapsed,
                                      [](uint64_t ticks, const Stretch& each) { return ticks < each.elapsed; });
  if (after == stretches_.begin()) return {};
  const Stretch& stretch = *std::prev(after);
  return {stretch.thread, stretch.from + (elapsed - stretch.elapsed)};
}

uint64_t Timeline::elapsed_at(const Moment& moment) const {
  for (const Stretch& each : stretches_) {
    if (each.thread == moment.thread && each.until >= moment.ticks) {
      return each.elapsed + (std::max(moment.ticks, each.from) - each.from);
    }
  }
  return length_;
}

void Timeline::pass() {
  Session session = copies_.front().standing.session.fork();
  const uint64_t distance = length_ / (limits_.copies + 1) + 1;
  for (uint64_t elapsed = distance; elapsed < length_; elapsed += distance) {
    const Moment next = moment(elapsed);
    const auto reached = session.run_to({.kind = ReplayPoint::kTick, .thread = next.thread, .number = next.ticks});
    if (!reached) return;
    copies_.push_back({{session.fork(), *reached}, elapsed});
    if (memory() > limits_.memory) thin_out();
  }
  session.finish();
}

void Timeline::thin_out() {
  for (size_t each = 1; each < copies_.size(); ++each) copies_.erase(copies_.begin() + static_cast<ptrdiff_t>(each));
}

std::optional<Timeline::Standing> Timeline::at(const Moment& moment) {
  const uint64_t elapsed = elapsed_at(moment);
  const auto after = std::upper_bound(copies_.begin(), copies_.end(), elapsed,
                                      [](uint64_t ticks, const Copy& each) { return ticks < each.elapsed; });
  Standing& nearest = std::prev(after)->standing;
  Session session = nearest.session.fork();
  if (nearest.position.thread == moment.thread && nearest.position.ticks == moment.ticks) {
    return Standing{std::move(session), nearest.position};
  }
  const auto reached = session.run_to({.kind = ReplayPoint::kTick, .thread = moment.thread, .number = moment.ticks});
  if (!reached) return std::nullopt;
  return Standing{std::move(session), *reached};
}

uint64_t Timeline::memory() const {
  uint64_t bytes = 0;
  for (const Copy& each : copies_) {
    bytes += bytes_in(fmt::format("/proc/{}/smaps_rollup", each.standing.session.process_id()), "Private_Dirty:");
  }
  return bytes;
}

}  // namespace culprit
