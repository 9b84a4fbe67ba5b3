#include "recording/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/whole_json.h"
#include "format/recording_format.h"

namespace culprit::recording {
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string kernel_text() {
  utsname names;
  return ::uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine) : "";
}

}  // namespace

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Manifest begun_manifest() {
  Manifest manifest;
  manifest.version = format::kRecordingVersion;
  manifest.started = now_text();
  manifest.kernel = kernel_text();
  return manifest;
}

std::string manifest_text(const Manifest& manifest) {
  json files = json::array();
  for (const CopiedFile& file : manifest.files) {
    files.push_back({{"index", file.index}, {"path", file.path}, {"bytes", file.bytes}, {"xxh3", file.hash}});
  }
  json text = {
      {"format", "culprit-recording"},
      {"version", manifest.version},
      {"state", manifest.state == State::kFinished ? "finished" : "recording"},
      {"program", manifest.program},
      {"arguments", manifest.arguments},
      {"directory", manifest.directory},
      {"started", manifest.started},
      {"kernel", manifest.kernel},
      {"build_key", manifest.build_key},
      {"from", manifest.from},
      {"to", manifest.to},
  };
  if (manifest.state == State::kFinished) {
    text["ended"] = manifest.ended;
    text["exit_status"] = manifest.exit_status;
    text["exit_signal"] = manifest.exit_signal;
    text["timed_out"] = manifest.timed_out;
    text["stream_bytes"] = manifest.stream_bytes;
    text["events"] = manifest.events;
    text["files"] = files;
  }
  // Arguments need not be UTF-8.
  return text.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Manifest read_manifest(const fs::path& directory) {
  const fs::path path = directory / "manifest.json";
  if (!fs::exists(path)) {
    throw UserError(fmt::format("{} is not a recording: it holds no manifest.json", directory.string()),
                    "name the directory that `culprit record` made; `culprit ls` lists them");
  }
  Manifest manifest;
  try {
    const json text = parse_whole_json(read_file(path));
    if (text.at("format") != "culprit-recording") throw CorruptData(path.string(), 0, "is not of a recording");
    manifest.version = text.at("version");
    if (manifest.version != format::kRecordingVersion) {
      throw CorruptData(
          path.string(), 0,
          fmt::format("has format version {}, this Culprit reads {}", manifest.version, format::kRecordingVersion));
    }
    const std::string state = text.at("state");
    if (state != "finished" && state != "recording") throw CorruptData(path.string(), 0, "has an unknown state");
    manifest.state = state == "finished" ? State::kFinished : State::kRecording;
    manifest.program = text.at("program");
    manifest.arguments = text.at("arguments").get<std::vector<std::string>>();
    manifest.directory = text.at("directory");
    manifest.started = text.at("started");
    manifest.kernel = text.at("kernel");
    manifest.build_key = text.at("build_key");
    manifest.from = text.at("from");
    manifest.to = text.at("to");
    if (manifest.state == State::kFinished) {
      manifest.ended = text.at("ended");
      manifest.exit_status = text.at("exit_status");
      manifest.exit_signal = text.at("exit_signal");
      manifest.timed_out = text.at("timed_out");
      manifest.stream_bytes = text.at("stream_bytes");
      manifest.events = text.at("events");
      for (const json& file : text.at("files")) {
        manifest.files.push_back({file.at("index"), file.at("path"), file.at("bytes"), file.at("xxh3")});
      }
    }
  } catch (const json::parse_error& error) {
    throw CorruptData(path.string(), error.byte, "is not JSON");
  } catch (const json::exception& error) {
    throw CorruptData(path.string(), 0, fmt::format("lacks something or has a wrong type: {}", error.what()));
  }
  return manifest;
}

void write_manifest(const fs::path& directory, const Manifest& manifest) {
  // Arguments can hold secrets; the directory is closed to others, and so is the file when it is moved.
  const fs::path path = directory / "manifest.json";
  write_file_atomically(path, manifest_text(manifest));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace culprit::recording
