#include "capture/assemble.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

extern char** environ;

namespace culprit {
namespace {

/// Runs a command whose standard output goes to `fd`.
bool run_into(const std::vector<std::string>& command, int fd) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string contents(int fd) {
  std::string all;
  char buffer[1 << 16];
  ssize_t got;
  for (off_t at = 0; (got = ::pread(fd, buffer, sizeof buffer, at)) > 0; at += got) {
    all.append(buffer, static_cast<size_t>(got));
  }
  return all;
}

}  // namespace

std::optional<std::string> assembled_object(const CommandLine& line, const std::string& compiler,
                                            const std::string& source, const std::string& language) {
  std::vector<std::string> command{compiler};
  for (const Argument& argument : line.arguments) {
    const std::string& word = argument.words.front();
    // The GNU assembler would write to a file called "-".
    if (word == "-fno-integrated-as" || word == "-no-integrated-as" || word.starts_with("-save-temps")) {
      return std::nullopt;
    }
    const bool is_replaced = word.starts_with("-o") || word.starts_with("--output") || word.starts_with("-x") ||
                             word.starts_with("-M") || word.starts_with("-flto") || word == "--";
    if (argument.kind != ArgumentKind::kOther || is_replaced) continue;
    command.insert(command.end(), argument.words.begin(), argument.words.end());
  }
  command.insert(command.end(), {"-w", "-c", "-x", language, source, "-o", "-"});
  const int fd = ::memfd_create("culprit-object", MFD_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<std::string> object;
  if (run_into(command, fd)) object = contents(fd);
  ::close(fd);
  return object;
}

}  // namespace culprit
