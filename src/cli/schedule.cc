// `culprit schedule`: how the threads of a recorded run took turns.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "format/system_calls.h"
#include "recording/event_text.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

using format::Event;
using format::EventKind;
using recording::EventRef;

struct Options {
  std::string name;
  bool json = false;
};

/// A thread's stretch between two switches.
struct Turn {
  uint32_t thread = 0;
  uint64_t first_event = 0, events = 0;
  uint64_t from_tick = 0, to_tick = 0;
  std::string last_call;  ///< as text, with its result
  std::string why;        ///< it ended
};

/// Calls inside a tick are made at no tick: the clock stands far ahead there.
bool has_ticks(const Event& event) {
  constexpr uint64_t kMostTicks = uint64_t{1} << 62;
  return (event.kind == EventKind::kCall || event.kind == EventKind::kPreempt) && event.ticks < kMostTicks;
}

/// Why another thread went on after `last`, the turn's last event; `following` is the thread's next one, if there is
/// any.
std::string reason(const EventRef& last, const std::optional<EventRef>& following) {
  if (last.event->kind == EventKind::kThreadEnd) return "it ended";
  if (last.event->kind == EventKind::kExit) return "the program ended";
  if (last.event->kind == EventKind::kSpin) return "it waited by spinning";
  if (!following) return "it did not go on";
  const Event& next = *following->event;
  switch (next.kind) {
    case EventKind::kPreempt:
      if (next.number != 0) return "it was interrupted";
      return fmt::format("its quantum ended at tick {}", next.ticks);
    case EventKind::kCall:
      return fmt::format("it waited in {}", format::system_call(next.number).name);
    case EventKind::kThreadEnd:
      return "it was about to end";
    default:
      return "it was interrupted";
  }
}

std::vector<Turn> turns_of(const recording::EventStream& stream) {
  std::vector<EventRef> events;
  stream.for_each([&](const EventRef& event) {
    if (event.event->kind != EventKind::kFile && event.event->kind != EventKind::kNote &&
        event.event->kind != EventKind::kChildOutput)
      events.push_back(event);
    return true;
  });
  // The event that follows each one in the same thread.
  std::vector<size_t> following(events.size(), events.size());
  std::map<uint32_t, size_t> last_of;
  for (size_t each = 0; each < events.size(); ++each) {
    const uint32_t thread = events[each].event->thread;
    if (const auto before = last_of.find(thread); before != last_of.end()) following[before->second] = each;
    last_of[thread] = each;
  }
  std::vector<Turn> turns;
  for (size_t each = 0; each < events.size(); ++each) {
    const Event& event = *events[each].event;
    if (turns.empty() || turns.back().thread != event.thread) {
      const uint64_t from = has_ticks(event) ? event.ticks : 0;
      turns.emplace_back();
      turns.back().thread = event.thread;
      turns.back().first_event = each;
      turns.back().from_tick = turns.back().to_tick = from;
    }
    Turn& turn = turns.back();
    ++turn.events;
    if (has_ticks(event)) turn.to_tick = event.ticks;
    if (event.kind == EventKind::kCall) turn.last_call = recording::event_text(events[each]);
    const bool last = each + 1 == events.size() || events[each + 1].event->thread != event.thread;
    if (!last) continue;
    const size_t next = following[each];
    turn.why = reason(events[each], next < events.size() ? std::optional(events[next]) : std::nullopt);
  }
  return turns;
}

void print(const std::vector<Turn>& turns, const Options& options) {
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Turn& turn : turns) {
      list.push_back({{"thread", turn.thread},
                      {"first_event", turn.first_event},
                      {"events", turn.events},
                      {"from_tick", turn.from_tick},
                      {"to_tick", turn.to_tick},
                      {"last_call", turn.last_call},
                      {"why", turn.why}});
    }
    fmt::print("{}\n", list.dump(1));
    return;
  }
  for (const Turn& turn : turns) {
    fmt::print("thread {:<3} {:>6} event{} ", turn.thread, turn.events, turn.events == 1 ? " " : "s");
    if (turn.to_tick != 0) fmt::print("ticks {}-{} ", turn.from_tick, turn.to_tick);
    if (!turn.last_call.empty()) fmt::print("last {} ", turn.last_call.substr(turn.last_call.find(": ") + 2));
    fmt::print("- {}\n", turn.why);
  }
}

ExitCode run(const Options& options) {
  const auto [directory, manifest, stream] = recording::open_recording(options.name);
  print(turns_of(stream), options);
  stream.for_each([&](const EventRef& event) {
    if (event.event->kind == EventKind::kNote && !options.json) fmt::print("{}\n", recording::event_text(event));
    return true;
  });
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    "schedule",
    "Show how the threads of a recorded run took turns",
    "One line for each turn of a thread: what it did, in events and ticks, its last system call, and why another "
    "thread\n"
    "went on. Notes, such as who waits for whom in a deadlock, follow.",
    {{"culprit schedule", "the latest recording"}, {"culprit schedule crash.rec --json", "for programs"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      add_recording_option(app, options->name);
      app.add_flag("--json", options->json, "As JSON");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
