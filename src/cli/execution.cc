#include "cli/execution.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace culprit::cli {
namespace {

// Sent to us alone they are meant for the program. The terminal sends its own to the whole group.
constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
constexpr std::array kFromTerminal = {SIGINT, SIGQUIT};

volatile sig_atomic_t running_child = 0;

void pass_on(int signal) {
  const int saved = errno;
  if (running_child > 0) ::kill(running_child, signal);
  errno = saved;
}

std::vector<char*> argv_of(const Execution& execution) {
  std::vector<char*> argv;
  for (const std::string& word : execution.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

void set_environment(const Execution& execution) {
  for (const auto& [name, value] : execution.environment) ::setenv(name.c_str(), value.c_str(), 1);
}

[[noreturn]] void fail_to_execute(const Execution& execution, int error) {
  throw UserError(fmt::format("cannot run {}: {}", execution.executable.string(), std::strerror(error)),
                  "is the cache on a file system mounted noexec? set CULPRIT_CACHE to another folder",
                  ExitCode::kEnvironmentLacks);
}

}  // namespace

void become(const Execution& execution) {
  set_environment(execution);
  std::vector<char*> argv = argv_of(execution);
  ::execv(execution.executable.c_str(), argv.data());
  fail_to_execute(execution, errno);
}

ProcessEnd run_and_wait(const Execution& execution) {
  std::vector<char*> argv = argv_of(execution);
  std::array<int, 2> failure{};  // carries errno of a failed exec
  CULPRIT_ASSERT(::pipe2(failure.data(), O_CLOEXEC) == 0, std::strerror(errno));

  sigset_t passed_on;
  sigset_t before;
  ::sigemptyset(&passed_on);
  for (const int signal : kPassedOn) ::sigaddset(&passed_on, signal);
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  const pid_t child = ::fork();
  CULPRIT_ASSERT(child >= 0, std::strerror(errno));
  if (child == 0) {
    set_environment(execution);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execv(execution.executable.c_str(), argv.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure[1], &error, sizeof error);
    ::_exit(127);
  }
  running_child = child;
  ::close(failure[1]);
  for (const int signal : kPassedOn) {
    struct sigaction action {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
  for (const int signal : kFromTerminal) ::signal(signal, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);

  int error = 0;
  const bool failed = ::read(failure[0], &error, sizeof error) == sizeof error;
  ::close(failure[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
  running_child = 0;
  if (failed) fail_to_execute(execution, error);
  if (WIFSIGNALED(status)) return {.exit_status = 0, .signal = WTERMSIG(status)};
  return {.exit_status = WEXITSTATUS(status), .signal = 0};
}

void end_like(const ProcessEnd& end) {
  std::fflush(nullptr);
  if (end.signal == 0) std::exit(end.exit_status);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(end.signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, end.signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(end.signal);
  std::exit(128 + end.signal);
}

}  // namespace culprit::cli
