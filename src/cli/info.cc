#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "format/system_calls.h"
#include "recording/children.h"
#include "recording/event_text.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

/// What the events say beside the manifest.
struct Counts {
  std::map<std::string, uint64_t> calls;
  uint64_t signals = 0, faults = 0, timestamps = 0, threads = 0;
  std::vector<std::string> notes;
};

Counts count(const recording::EventStream& stream) {
  Counts counts;
  stream.for_each([&counts](const recording::EventRef& ref) {
    const format::Event& event = *ref.event;
    counts.threads = std::max<uint64_t>(counts.threads, event.thread + 1);
    switch (event.kind) {
      case format::EventKind::kCall:
        ++counts.calls[format::system_call(event.number).name];
        break;
      case format::EventKind::kSignal:
        ++counts.signals;
        break;
      case format::EventKind::kFault:
        ++counts.faults;
        break;
      case format::EventKind::kTimestamp:
        ++counts.timestamps;
        break;
      case format::EventKind::kNote:
        counts.notes.push_back(recording::event_text(ref));
        break;
      default:
        break;
    }
    return true;
  });
  return counts;
}

std::string end_text(const recording::Recording& recording) {
  const recording::Manifest& manifest = recording.manifest;
  if (manifest.state != recording::State::kFinished) return "not in the recording";
  if (manifest.timed_out) return "ended at the limit of time";
  if (manifest.exit_signal) return recording::signal_name(manifest.exit_signal);
  return fmt::format("exit status {}", manifest.exit_status);
}

void print(const recording::Recording& recording, const Counts& counts) {
  const recording::Manifest& manifest = recording.manifest;
  std::string command;
  for (const std::string& word : manifest.arguments) command += (command.empty() ? "" : " ") + word;
  fmt::print("recording  {}\nprogram    {}\ncommand    {}\ndirectory  {}\nstarted    {}\n",
             recording.directory.string(), manifest.program, command, manifest.directory, manifest.started);
  if (!manifest.from.empty() || !manifest.to.empty()) {
    fmt::print("region     {} to {}\n", manifest.from.empty() ? "start" : manifest.from,
               manifest.to.empty() ? "end" : manifest.to);
  }
  if (!manifest.ended.empty()) fmt::print("ended      {}\n", manifest.ended);
  fmt::print("end        {}\nkernel     {}\nthreads    {}\n", end_text(recording), manifest.kernel, counts.threads);
  fmt::print("events     {} in {} bytes, {} in the log\n", recording.stream.events(), recording.stream.bytes(),
             std::filesystem::file_size(recording.directory / "log"));
  fmt::print("signals    {}, faults {}, time stamps {}\n", counts.signals, counts.faults, counts.timestamps);
  std::vector<std::pair<uint64_t, std::string>> most;
  for (const auto& [name, times] : counts.calls) most.emplace_back(times, name);
  std::sort(most.rbegin(), most.rend());
  if (most.size() > 8) most.resize(8);
  std::string calls;
  for (const auto& [times, name] : most) calls += fmt::format("{}{} {}", calls.empty() ? "" : ", ", name, times);
  fmt::print("calls      {}\n", calls);
  for (const std::string& note : counts.notes) fmt::print("           {}\n", note);
  for (const std::filesystem::path& each : recording::recordings_of_children(recording.directory)) {
    fmt::print("child      {}: {}\n", each.lexically_relative(recording.directory).string(),
               end_text(recording::open_recording(each.string())));
  }
  if (!recording.stream.cut().empty()) fmt::print("cut off    {}\n", recording.stream.cut());
}

ExitCode run(const Options& options) {
  const recording::Recording recording = recording::open_recording(options.name);
  const Counts counts = count(recording.stream);
  if (!options.json) {
    print(recording, counts);
    return ExitCode::kAnswered;
  }
  nlohmann::json text = nlohmann::json::parse(recording::manifest_text(recording.manifest));
  text["recording"] = recording.directory.string();
  text["children"] = nlohmann::json::array();
  for (const std::filesystem::path& each : recording::recordings_of_children(recording.directory)) {
    const recording::Manifest child = recording::open_recording(each.string()).manifest;
    text["children"].push_back({{"recording", each.string()},
                                {"finished", child.state == recording::State::kFinished},
                                {"exit_status", child.exit_status},
                                {"exit_signal", child.exit_signal}});
  }
  text["events"] = recording.stream.events();
  text["stream_bytes"] = recording.stream.bytes();
  text["calls"] = counts.calls;
  text["threads"] = counts.threads;
  text["signals"] = counts.signals;
  text["faults"] = counts.faults;
  text["timestamps"] = counts.timestamps;
  text["notes"] = counts.notes;
  text["cut_off"] = recording.stream.cut();
  fmt::print("{}\n", text.dump(2));
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    "info",
    "Say what a recording is of",
    "Program, command, how it ended, numbers of events, the system calls made most, and what should be known about\n"
    "the recording, such as system calls that were refused.",
    {{"culprit info", "describes the latest recording"},
     {"culprit info prog-1 --json", "the same for prog-1, for machines"}},
    [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      add_recording_option(app, options->name);
      app.add_flag("--json", options->json, "As JSON");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
