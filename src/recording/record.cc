#include "recording/record.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "recording/event_stream.h"
#include "recording/place.h"
#include "recording/ring.h"
#include "recording/runtime_process.h"

namespace culprit::recording {
namespace fs = std::filesystem;

namespace {

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string kernel_text() {
  utsname names;
  return ::uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine) : "";
}

std::string hash_text(const fs::path& path) {
  const MappedFile file(path);
  const XXH128_hash_t hash = XXH3_128bits(file.bytes().data(), file.bytes().size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// Fills in what is known only at the end.
void complete(Manifest& manifest, const fs::path& directory, const RuntimeEnd& end) {
  const EventStream stream(directory, false);
  manifest.ended = now_text();
  manifest.exit_status = end.exit_status;
  manifest.exit_signal = end.signal;
  manifest.stream_bytes = stream.bytes();
  manifest.events = stream.events();
  stream.for_each([&](const EventRef& event) {
    if (event.event->kind != format::EventKind::kFile) return true;
    CopiedFile file;
    file.index = static_cast<uint32_t>(event.event->result);
    for (const PartRef& part : event.parts()) {
      if (part.kind == format::PartKind::kText) file.path = part.text();
    }
    const fs::path copy = directory / "files" / std::to_string(file.index);
    file.bytes = fs::file_size(copy);
    file.hash = hash_text(copy);
    manifest.files.push_back(file);
    return true;
  });
  manifest.state = State::kFinished;
}

}  // namespace

Recorded record(const RecordOptions& options) {
  const Executable executable = resolve(options.command);

  // A directory that is a recording from its first moment.
  Recorded recorded;
  recorded.directory = make_directory(options.directory, fs::path(options.command[0]).filename().string());
  Manifest& manifest = recorded.manifest;
  manifest.version = format::kRecordingVersion;
  manifest.program = executable.path;
  manifest.arguments = executable.arguments;
  manifest.directory = fs::current_path().string();
  manifest.started = now_text();
  manifest.kernel = kernel_text();
  manifest.build_key = options.build_key;
  write_manifest(recorded.directory, manifest);
  RingDrain ring(recorded.directory, options.zstd_level);
  point_latest(recorded.directory);

  // The program runs; a thread moves its events into the log.
  std::vector<std::string> arguments = {"record",
                                        options.trap ? "trap" : "dispatch",
                                        recorded.directory.string(),
                                        std::to_string(options.chaos),
                                        options.fast_build.empty() ? executable.path : options.fast_build.string(),
                                        executable.path};
  arguments.insert(arguments.end(), executable.arguments.begin(), executable.arguments.end());
  RuntimeProcess program(arguments);
  std::string failure;
  const auto guarded = [&](auto&& work) {
    try {
      work();
    } catch (const std::exception& error) {
      failure = error.what();
      ring.give_up(ENOSPC);
    }
  };
  std::thread drainer([&] { guarded([&] { ring.run(); }); });
  const RuntimeEnd end = program.wait();
  ring.stop();
  drainer.join();
  if (failure.empty()) guarded([&] { ring.drain(); });
  if (ring.error() != 0) {
    throw UserError(fmt::format("recording stopped before the program did: {}",
                                failure.empty() ? std::strerror(ring.error()) : failure),
                    fmt::format("what was recorded until then is in {}; free space, or record elsewhere with -o",
                                recorded.directory.string()),
                    ExitCode::kEnvironmentLacks);
  }
  if (ring.stream_bytes() == 0) {
    fs::remove_all(recorded.directory);
    throw UserError(fmt::format("{} could not be started for recording", executable.path), "see the message above",
                    ExitCode::kEnvironmentLacks);
  }

  // What is still in the ring is in the log now, too; the manifest makes it whole.
  complete(manifest, recorded.directory, end);
  fs::remove(recorded.directory / "ring");
  write_manifest(recorded.directory, manifest);
  return recorded;
}

}  // namespace culprit::recording
