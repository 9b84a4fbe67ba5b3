#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "recording/event_text.h"
#include "recording/manifest.h"
#include "recording/place.h"

namespace culprit::cli {
namespace {

uint64_t bytes_of(const std::filesystem::path& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

std::string end_text(const recording::Manifest& manifest) {
  if (manifest.state != recording::State::kFinished) return "unfinished";
  if (manifest.exit_signal) return recording::signal_name(manifest.exit_signal);
  return fmt::format("exit {}", manifest.exit_status);
}

ExitCode run(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::filesystem::path& directory : recording::all_recordings()) {
    const std::string name = directory.filename().string();
    try {
      const recording::Manifest manifest = recording::read_manifest(directory);
      std::string command;
      for (const std::string& word : manifest.arguments) command += (command.empty() ? "" : " ") + word;
      list.push_back({{"name", name},
                      {"started", manifest.started},
                      {"end", end_text(manifest)},
                      {"bytes", bytes_of(directory)},
                      {"command", command}});
    } catch (const CorruptData& damage) {
      list.push_back({{"name", name},
                      {"started", ""},
                      {"end", "damaged"},
                      {"bytes", bytes_of(directory)},
                      {"command", damage.what()}});
    }
  }
  if (json) {
    fmt::print("{}\n", list.dump(2));
  } else {
    for (const auto& each : list) {
      fmt::print("{:<20} {:<20} {:<10} {:>8.1f} MB  {}\n", each["name"].get<std::string>(),
                 each["started"].get<std::string>(), each["end"].get<std::string>(),
                 static_cast<double>(each["bytes"].get<uint64_t>()) / 1e6, each["command"].get<std::string>());
    }
  }
  return list.empty() ? ExitCode::kNothingFound : ExitCode::kAnswered;
}

const Registration kRegistration{
    Command{"ls",
            "List the recordings",
            "Those in $CULPRIT_RECORDINGS or ~/.local/share/culprit/recordings: name, start, end, size, command.",
            {{"culprit ls", "lists all recordings"}},
            [](CLI::App& app) {
              auto json = std::make_shared<bool>(false);
              app.add_flag("--json", *json, "As JSON");
              return [json] { return run(*json); };
            }}};

}  // namespace
}  // namespace culprit::cli
