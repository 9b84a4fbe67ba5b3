#include "recording/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <unordered_map>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "recording/children.h"
#include "recording/event_stream.h"
#include "recording/executed_children.h"
#include "recording/place.h"
#include "recording/ring.h"
#include "recording/runtime_process.h"

namespace culprit::recording {
namespace fs = std::filesystem;

namespace {

/// Waits for the program's end, which comes at the latest at the limit. Whether the limit was reached.
bool run_to_end(RuntimeProcess& program, RingDrain& ring, std::chrono::milliseconds limit, RuntimeEnd& end) {
  using std::chrono::milliseconds;
  const bool too_long = limit.count() > 0 && !program.ends_within(limit);
  if (too_long) {
    // They may wait for each other for ever, and nobody else knows of them.
    const std::vector<pid_t> left = descendants_of(program.id());
    ring.end_program();
    // The thread that runs may just be changing: again until one hears it.
    constexpr int kMostCalls = 100;
    for (int calls = 0; calls < kMostCalls; ++calls) {
      ::kill(program.id(), SIGTRAP);
      if (program.ends_within(milliseconds(50))) break;
    }
    end = program.wait(milliseconds(0));
    for (const pid_t each : left) ::kill(each, SIGKILL);
  } else {
    end = program.wait();
  }
  return too_long;
}

/// Fills in what is known only at the end.
void complete(Recorded& recorded, const RuntimeEnd& end) {
  Manifest& manifest = recorded.manifest;
  const fs::path& directory = recorded.directory;
  std::unordered_map<uint32_t, uint64_t> ticks;
  uint64_t ticks_passed = 0, calls = 0;
  bool several_threads = false;
  const EventStream stream(directory, false);
  manifest.ended = now_text();
  manifest.exit_status = end.exit_status;
  manifest.exit_signal = end.signal;
  manifest.stream_bytes = stream.bytes();
  manifest.events = stream.events();
  stream.for_each([&](const EventRef& event) {
    const format::EventKind kind = event.event->kind;
    if (kind == format::EventKind::kCall || kind == format::EventKind::kPreempt) {
      constexpr uint64_t kMostTicks = uint64_t{1} << 62;  // calls inside a tick are made at no tick
      uint64_t& before = ticks[event.event->thread];
      const bool later = event.event->ticks > before && event.event->ticks < kMostTicks;
      if (later && several_threads) ticks_passed += event.event->ticks - before;
      if (later) before = event.event->ticks;
      calls += several_threads && kind == format::EventKind::kCall;
      several_threads |=
          kind == format::EventKind::kCall && event.event->number == SYS_clone && event.event->result > 0;
    }
    if (event.event->kind != format::EventKind::kFile) return true;
    manifest.files.push_back(copied_file_of(directory, event));
    return true;
  });
  recorded.length = ticks_passed != 0 ? ticks_passed : calls;
  manifest.state = State::kFinished;
}

std::string last_moment(const RecordOptions& options) {
  return options.last_tick == 0 ? "-" : fmt::format("{}:{}", options.last_thread, options.last_tick);
}

}  // namespace

Recorded record(const RecordOptions& options) {
  const Executable executable = resolve(options.command);

  // A directory that is a recording from its first moment.
  Recorded recorded;
  recorded.directory = make_directory(options.directory, fs::path(options.command[0]).filename().string());
  Manifest& manifest = recorded.manifest;
  manifest = begun_manifest();
  manifest.program = executable.path;
  manifest.arguments = executable.arguments;
  manifest.directory = fs::current_path().string();
  manifest.build_key = options.build_key;
  manifest.from = options.from;
  manifest.to = options.to;
  write_manifest(recorded.directory, manifest);
  // Of a captured program children are recorded, too.
  if (!options.fast_build.empty()) {
    fs::create_directory(children_folder(recorded.directory));
    fs::permissions(children_folder(recorded.directory), fs::perms::owner_all);
  }
  std::unique_ptr<ExecutedChildren> executed;
  if (options.build_child) executed = std::make_unique<ExecutedChildren>(recorded.directory, options.build_child);
  RingDrain ring(recorded.directory, options.zstd_level, options.log_limit, options.sync_seconds);
  point_latest(recorded.directory);

  // The program runs; a thread moves its events into the log.
  std::vector<std::string> arguments = {
      "record",
      options.trap ? "trap" : "dispatch",
      recorded.directory.string(),
      fmt::format("{}:{}{}", options.chaos, options.chaos_length, options.ends_at_deadlock ? "!" : ""),
      last_moment(options),
      options.fast_build.empty() ? executable.path : options.fast_build.string(),
      executable.path};
  arguments.insert(arguments.end(), executable.arguments.begin(), executable.arguments.end());
  Surroundings surroundings = options.surroundings;
  surroundings.library_path = executable.library_path;
  RuntimeProcess program(arguments, {}, surroundings);
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
  RuntimeEnd end;
  manifest.timed_out = run_to_end(program, ring, options.time_limit, end);
  executed.reset();
  ring.stop();
  drainer.join();
  if (failure.empty()) {
    guarded([&] {
      ring.close();
      ring.drain();
    });
  }
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
  complete(recorded, end);
  fs::remove(recorded.directory / "ring");
  finish_children(recorded.directory, options.zstd_level);
  write_manifest(recorded.directory, manifest);
  return recorded;
}

}  // namespace culprit::recording
