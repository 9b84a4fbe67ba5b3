#include "recording/runtime_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace culprit::recording {

/// False with errno.
static bool enter(const Surroundings& surroundings) {
  const int streams[] = {surroundings.input, surroundings.output, surroundings.error};
  for (int each = 0; each < 3; ++each) {
    if (streams[each] >= 0 && ::dup2(streams[each], each) < 0) return false;
  }
  if (!surroundings.library_path.empty()) {
    const char* rest = ::getenv("LD_LIBRARY_PATH");
    const std::string path = surroundings.library_path + (rest == nullptr ? "" : std::string(":") + rest);
    if (::setenv("LD_LIBRARY_PATH", path.c_str(), 1) != 0) return false;
  }
  return surroundings.folder.empty() || ::chdir(surroundings.folder.c_str()) == 0;
}

NoStreams::NoStreams() : descriptor_(::open("/dev/null", O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw UserError(fmt::format("cannot open /dev/null: {}", std::strerror(errno)), "raise the limit on open files",
                    ExitCode::kEnvironmentLacks);
  }
}

NoStreams::~NoStreams() {
  ::close(descriptor_);
}

Surroundings NoStreams::surroundings() const {
  return {.input = descriptor_, .output = descriptor_, .error = descriptor_};
}

RuntimeProcess::RuntimeProcess(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
                               const Surroundings& surroundings) {
  const std::string runtime = (parts_directory() / "culprit-ld").string();
  if (::access(runtime.c_str(), X_OK) != 0) {
    throw UserError(fmt::format("Culprit's own part {} is missing", runtime),
                    "install Culprit whole, or run it from its build tree", ExitCode::kEnvironmentLacks);
  }
  std::vector<char*> argv = {const_cast<char*>("culprit-ld")};
  for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);

  former_interrupt_ = ::signal(SIGINT, SIG_IGN);
  former_quit_ = ::signal(SIGQUIT, SIG_IGN);
  int failed[2];
  if (::pipe2(failed, O_CLOEXEC) != 0) throw UserError("cannot make a pipe", "close some files");
  child_ = ::fork();
  if (child_ == 0) {
    ::signal(SIGINT, former_interrupt_);
    ::signal(SIGQUIT, former_quit_);
    for (const int fd : inherited) ::fcntl(fd, F_SETFD, 0);
    if (enter(surroundings)) ::execv(runtime.c_str(), argv.data());
    const int error = errno;
    if (::write(failed[1], &error, sizeof error) != sizeof error) ::_exit(126);
    ::_exit(127);
  }
  ::close(failed[1]);
  int error = child_ < 0 ? errno : 0;
  if (child_ > 0 && ::read(failed[0], &error, sizeof error) != sizeof error) error = 0;
  ::close(failed[0]);
  if (error != 0) {
    throw UserError(fmt::format("cannot start {}: {}", runtime, std::strerror(error)), "check the limits on processes",
                    ExitCode::kEnvironmentLacks);
  }
}

RuntimeEnd RuntimeProcess::wait() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0) {
    CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
  }
  child_ = -1;
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

bool RuntimeProcess::ends_within(std::chrono::milliseconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
  if (ended < 0) return false;
  pollfd wait_for = {.fd = ended, .events = POLLIN, .revents = 0};
  int found = 0;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    found = ::poll(&wait_for, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX)));
  } while (found < 0 && errno == EINTR);
  ::close(ended);
  return found > 0;
}

RuntimeEnd RuntimeProcess::wait(std::chrono::milliseconds limit) {
  if (!ends_within(limit)) ::kill(child_, SIGKILL);
  return wait();
}

pid_t RuntimeProcess::release() {
  return std::exchange(child_, -1);
}

RuntimeProcess::~RuntimeProcess() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    wait();
  }
  ::signal(SIGINT, former_interrupt_);
  ::signal(SIGQUIT, former_quit_);
}

}  // namespace culprit::recording
