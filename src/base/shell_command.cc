#include "base/shell_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"

extern char** environ;

namespace culprit {
namespace {

class Descriptor {
 public:
  Descriptor(int number, const std::string& what) : number_(number) {
    if (number < 0) {
      throw UserError(fmt::format("cannot open {}: {}", what, std::strerror(errno)), "see the message",
                      ExitCode::kEnvironmentLacks);
    }
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string whole_content(int descriptor) {
  std::string content;
  std::string buffer(1 << 16, '\0');
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got; (got = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    content.append(buffer, 0, static_cast<size_t>(got));
  }
  return content;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return pointers;
}

CommandResult run(const std::filesystem::path& executable, std::vector<std::string> words, const Descriptor& input,
                  const std::map<std::string, std::string>& environment, bool quiet,
                  const std::function<bool()>& enough = {}) {
  const Descriptor output(::memfd_create("culprit-command", MFD_CLOEXEC), "memory for a command's output");
  std::vector<std::string> variables;
  for (char** each = environ; *each; ++each) {
    const std::string variable = *each;
    if (!environment.contains(variable.substr(0, variable.find('=')))) variables.push_back(variable);
  }
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.number(), STDOUT_FILENO);
  if (quiet) ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, executable.c_str(), &actions, nullptr, pointers_to(words).data(),
                                  pointers_to(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw UserError(fmt::format("cannot run '{}': {}", executable.string(), std::strerror(error)), "see the message",
                    ExitCode::kEnvironmentLacks);
  }
  int status = 0;
  bool stopped = false;
  for (pid_t ended = 0; enough && (ended = ::waitpid(child, &status, WNOHANG)) != child;) {
    CULPRIT_ASSERT(ended == 0 || errno == EINTR, std::strerror(errno));
    if (enough()) {
      stopped = true;
      const std::vector<pid_t> left = descendants_of(child);
      ::kill(child, SIGKILL);
      for (const pid_t each : left) ::kill(each, SIGKILL);
      break;
    }
    ::usleep(2000);
  }
  while ((!enough || stopped) && ::waitpid(child, &status, 0) < 0) {
    CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
  }
  const bool signalled = WIFSIGNALED(status);
  return {.end = {.exit_status = signalled ? 0 : WEXITSTATUS(status), .signal = signalled ? WTERMSIG(status) : 0},
          .output = whole_content(output.number()),
          .stopped = stopped};
}

Descriptor opened(const std::filesystem::path& input) {
  return Descriptor(::open(input.c_str(), O_RDONLY | O_CLOEXEC), input.string());
}

}  // namespace

CommandResult run_shell(const std::string& command, std::string_view input,
                        const std::map<std::string, std::string>& environment) {
  const Descriptor memory(::memfd_create("culprit-input", MFD_CLOEXEC), "memory for a command's input");
  for (size_t written = 0; written < input.size();) {
    const ssize_t step = ::write(memory.number(), input.data() + written, input.size() - written);
    if (step < 0) {
      throw UserError(fmt::format("cannot keep a command's input: {}", std::strerror(errno)), "free some memory",
                      ExitCode::kEnvironmentLacks);
    }
    written += static_cast<size_t>(step);
  }
  ::lseek(memory.number(), 0, SEEK_SET);
  return run("/bin/sh", {"sh", "-c", command}, memory, environment, false);
}

CommandResult run_captured(const CapturedCommand& command) {
  return run(command.executable, command.words, opened(command.input), command.environment, true, command.enough);
}

CommandResult run_shell(const std::string& command, const std::filesystem::path& input) {
  return run("/bin/sh", {"sh", "-c", command}, opened(input), {}, false);
}

}  // namespace culprit
