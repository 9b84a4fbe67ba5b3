#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/interrupt.h"

extern char** environ;

namespace culprit {
namespace {

constexpr int kIdleMilliseconds = 200;

class Pipe {
 public:
  Pipe() { CULPRIT_ASSERT(::pipe2(ends_, O_CLOEXEC) == 0, std::strerror(errno)); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }

 private:
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  int ends_[2] = {-1, -1};
};

pid_t spawn(const WatchedCommand& command, int progress) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  // The copy made by dup2 lacks close-on-exec, even when the pipe already has that number.
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, progress, kProgressDescriptor);
  sigset_t defaults;
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &blocked);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  std::vector<char*> argv;
  for (const std::string& word : command.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error) {
    throw UserError(fmt::format("cannot run {}: {}", command.words[0], std::strerror(error)),
                    "install it, or check PATH", ExitCode::kEnvironmentLacks);
  }
  return child;
}

/// Kills the group when left by an exception.
class GroupGuard {
 public:
  explicit GroupGuard(pid_t child) : child_(child) {}
  ~GroupGuard() {
    if (child_ <= 0) return;
    ::kill(-child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;
  int wait() {
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0) {
      CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
      throw_if_interrupted();
    }
    child_ = 0;
    return status;
  }

 private:
  pid_t child_;
};

}  // namespace

ProcessEnd run_watched(const WatchedCommand& command) {
  CULPRIT_ASSERT(!command.words.empty(), "no command");
  Pipe pipe;
  GroupGuard child(spawn(command, pipe.writing()));
  pipe.close_writing();

  // The pipe's end comes when the child and what it started have gone.
  std::string pending;
  for (bool open = true; open;) {
    pollfd waiting{.fd = pipe.reading(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kIdleMilliseconds);
    throw_if_interrupted();
    if (command.on_idle) command.on_idle();
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(pipe.reading(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    open = got > 0;
    if (got > 0) pending.append(buffer, static_cast<size_t>(got));
    for (size_t end = 0; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      if (command.on_line) command.on_line(std::string_view(pending).substr(0, end));
    }
  }
  const int status = child.wait();
  if (WIFSIGNALED(status)) return {.exit_status = 0, .signal = WTERMSIG(status)};
  return {.exit_status = WEXITSTATUS(status), .signal = 0};
}

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> all;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    std::ifstream children(thread.path() / "children");
    for (pid_t child = 0; children >> child;) {
      all.push_back(child);
      const std::vector<pid_t> theirs = descendants_of(child);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
  }
  return all;
}

}  // namespace culprit
