#include "session/controlled_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"

extern char** environ;

namespace culprit {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Programs started meanwhile have the same addresses each time, where the system allows that.
class SameAddresses {
 public:
  SameAddresses() : before_(::personality(0xffffffff)) {
    if (before_ >= 0) ::personality(static_cast<unsigned long>(before_) | ADDR_NO_RANDOMIZE);
  }
  ~SameAddresses() {
    if (before_ >= 0) ::personality(static_cast<unsigned long>(before_));
  }
  SameAddresses(const SameAddresses&) = delete;
  SameAddresses& operator=(const SameAddresses&) = delete;

 private:
  int before_;
};

}  // namespace

ControlledRun::ControlledRun(const Launch& launch, const ControlBlock& control)
    : control_(control), recording_(launch.recording) {
  output_ = ::memfd_create("culprit-stdout", MFD_CLOEXEC);
  error_ = ::memfd_create("culprit-stderr", MFD_CLOEXEC);
  CULPRIT_ASSERT(output_ >= 0 && error_ >= 0, std::strerror(errno));
  if (recording_) {
    start_replay(launch);
  } else {
    start_program(launch);
  }
}

void ControlledRun::start_replay(const Launch& launch) {
  control_.head().clock = 0;  // the recorded one
  report_.emplace();
  const int input = ::open(launch.standard_input.c_str(), O_RDONLY | O_CLOEXEC);
  const recording::ReplayOptions options{
      .executable = launch.executable,
      .agent = control_.descriptor(),
      .surroundings = {.input = input, .output = output_, .error = error_, .folder = recording_->manifest.directory}};
  child_ =
      recording::start_replay(recording_->directory, recording_->stream, options, report_->descriptor())->release();
  if (input >= 0) ::close(input);
}

/// An altered run ends as the program would; a replay ends without, and says how the recorded run did.
void ControlledRun::take_end_of_replay() {
  const format::ReplayReport report = report_->read();
  switch (report.state) {
    case format::ReplayState::kRunning:
      return;
    case format::ReplayState::kFinished:
    case format::ReplayState::kLogEnded:
      end_.wait_status = W_EXITCODE(static_cast<int>(report.exit_status), static_cast<int>(report.exit_signal));
      return;
    case format::ReplayState::kDiverged:
      throw UserError(recording::divergence_text(recording_->stream, report), "record again");
    case format::ReplayState::kFailed:
      throw UserError(fmt::format("the replay failed: {}", static_cast<const char*>(report.said)), "record again");
  }
}

void ControlledRun::start_program(const Launch& launch) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
  environment.push_back(fmt::format("{}={}", format::kSessionVariable, control_.descriptor()));

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, launch.standard_input.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output_, 1);
  ::posix_spawn_file_actions_adddup2(&actions, error_, 2);
  const SameAddresses same_addresses;
  const int error = ::posix_spawn(&child_, launch.executable.c_str(), &actions, nullptr,
                                  pointers(launch.arguments).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error) {
    child_ = -1;
    throw UserError(fmt::format("cannot start {}: {}", launch.executable.string(), std::strerror(error)),
                    "check that the file exists and may be executed", ExitCode::kEnvironmentLacks);
  }
}

ControlledRun::~ControlledRun() {
  if (child_ > 0 && !ended_) kill_and_reap();
  if (output_ >= 0) ::close(output_);
  if (error_ >= 0) ::close(error_);
}

void ControlledRun::kill_and_reap() {
  // Its children may wait for each other for ever, and nobody else knows of them.
  const std::vector<pid_t> left = descendants_of(child_);
  ::kill(child_, SIGKILL);
  reap(true);
  for (const pid_t each : left) ::kill(each, SIGKILL);
}

bool ControlledRun::reap(bool wait) {
  while (!ended_) {
    rusage used{};
    const pid_t got = ::wait4(child_, &end_.wait_status, wait ? 0 : WNOHANG, &used);
    if (got == child_) {
      ended_ = true;
      end_.peak_bytes = static_cast<uint64_t>(used.ru_maxrss) * 1024;
      end_.cpu_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    } else if (got == 0) {
      break;
    } else {
      CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
    }
  }
  return ended_;
}

bool ControlledRun::wait_for_stop(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;

  while (!reap(false)) {
    if (agent_version_ == 0) agent_version_ = control_.head().agent_version;
    if (__atomic_load_n(&control_.head().stopped, __ATOMIC_ACQUIRE) == 1) break;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= std::chrono::steady_clock::duration::zero()) {
      end_.timed_out = true;
      if (!interrupt()) kill_and_reap();
      break;
    }
    // The futex tells of a stop at once; the end of the process is noticed at the next turn.
    const timespec turn{.tv_sec = 0, .tv_nsec = 2'000'000};
    ::syscall(SYS_futex, &control_.head().stopped, FUTEX_WAIT, 0, &turn, nullptr, 0);
  }
  if (ended_ && report_ && !end_.timed_out) take_end_of_replay();
  // What it said first: a program that writes where it should not may damage the block later.
  const uint32_t agent = agent_version_ != 0 ? agent_version_ : control_.head().agent_version;
  const bool damaged = control_.head().version != format::kSessionVersion;
  if (ended_ && !damaged && !end_.timed_out && agent != format::kSessionVersion) {
    const std::string error = standard_error();
    throw UserError(agent == 0 ? fmt::format("the program ended before it could be controlled{}{}",
                                             error.empty() ? "" : ": ", error)
                               : "the rebuilt program is of another version of Culprit",
                    "build it again after: culprit cache --clear", ExitCode::kEnvironmentLacks);
  }
  return !ended_;
}

bool ControlledRun::interrupt() {
  constexpr int kTurns = 100;
  if (control_.head().stop_for_inspection == 0) return false;
  ::kill(child_, format::kInterruptSignal);
  for (int turn = 0; turn < kTurns && !reap(false); ++turn) {
    if (__atomic_load_n(&control_.head().stopped, __ATOMIC_ACQUIRE) == 1) return true;
    const timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
    ::syscall(SYS_futex, &control_.head().stopped, FUTEX_WAIT, 0, &pause, nullptr, 0);
  }
  return false;
}

bool ControlledRun::read_memory(uint64_t address, std::span<std::byte> into) const {
  const iovec local{.iov_base = into.data(), .iov_len = into.size()};
  const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = into.size()};
  return ::process_vm_readv(child_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(into.size());
}

std::filesystem::path ControlledRun::file_at(uint64_t address) const {
  std::ifstream maps(fmt::format("/proc/{}/maps", child_));
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    uint64_t first = 0, end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, path;
    words >> std::hex >> first >> dash >> end >> permissions >> offset >> device >> inode;
    if (address < first || address >= end) continue;
    std::getline(words >> std::ws, path);
    if (!path.starts_with('/')) return {};
    return recording_ ? recording::original_of_copy(*recording_, path) : std::filesystem::path(path);
  }
  return {};
}

void ControlledRun::release() {
  if (end_.timed_out) return kill_and_reap();
  __atomic_store_n(&control_.head().released, 1U, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &control_.head().released, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  reap(true);
  if (report_) take_end_of_replay();
}

std::string ControlledRun::standard_output() const {
  return read_file(output_);
}
std::string ControlledRun::standard_error() const {
  return read_file(error_);
}

}  // namespace culprit
