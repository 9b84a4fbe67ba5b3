#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "format/system_calls.h"
#include "recording/event_text.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

nlohmann::json as_json(const recording::EventRef& ref) {
  const format::Event& event = *ref.event;
  nlohmann::json text = {{"offset", ref.offset},
                         {"kind", static_cast<int>(event.kind)},
                         {"thread", event.thread},
                         {"number", event.number},
                         {"flags", event.flags},
                         {"result", event.result},
                         {"check", event.check},
                         {"ticks", event.ticks},
                         {"text", recording::event_text(ref)}};
  if (event.kind == format::EventKind::kCall) text["call"] = format::system_call(event.number).name;
  for (const auto& part : ref.parts()) {
    if (part.kind == format::PartKind::kMemory) {
      text["written"].push_back({{"address", part.address}, {"bytes", part.bytes.size()}});
    }
  }
  return text;
}

ExitCode run(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.name);
  const recording::EventStream& stream = recording.stream;
  uint64_t number = 0;
  stream.for_each([&](const recording::EventRef& event) {
    if (options.json) {
      fmt::print("{}\n", as_json(event).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{:>8} {}\n", number, recording::event_text(event));
    }
    ++number;
    return true;
  });
  if (!stream.cut().empty()) fmt::print(stderr, "culprit: the recording was cut off: {}\n", stream.cut());
  return number ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

const Registration kRegistration{Command{
    "dump recording",
    "Print the events of a recording",
    "One line for each event, in order: the thread, what it did, the result, how many bytes the kernel wrote.",
    {{"culprit dump recording prog-1", "prints the events of prog-1"},
     {"culprit dump recording --json | head -3", "prints the first events of the latest recording as JSON lines"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      add_recording_option(app, options->name);
      app.add_flag("--json", options->json, "One JSON object a line");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
