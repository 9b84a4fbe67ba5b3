// culprit-cc and culprit-c++: clang, told to leave every unit's bitcode in its object. Everything the user asks for is
// passed on as it is; the name it is called by decides between C and C++, as with clang and clang++.

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "capture/command_line.h"
#include "capture/link_inputs.h"
#include "capture/section_append.h"
#include "format/capture_format.h"

extern char** environ;

namespace culprit {
namespace {
namespace fs = std::filesystem;

struct Compiler {
  std::string path;
  bool is_cxx = false;
};

Compiler find_compiler(const std::string& called_by) {
  const std::string name = fs::path(called_by).filename();
  const bool is_cxx = name.find("++") != std::string::npos;
  if (const char* chosen = std::getenv("CULPRIT_CLANG"); chosen && *chosen) {
    const auto path = find_in_path(chosen);
    if (!path) {
      throw UserError(fmt::format("CULPRIT_CLANG names {}, which cannot be run", chosen),
                      "set it to a clang of version 19, or unset it", ExitCode::kEnvironmentLacks);
    }
    return {*path, is_cxx};
  }
  for (const char* candidate : {"clang-19", "/usr/bin/clang-19", "/usr/lib/llvm-19/bin/clang"}) {
    if (const auto path = find_in_path(candidate)) return {*path, is_cxx};
  }
  throw UserError("clang 19 is missing", "apt-get install clang-19", ExitCode::kEnvironmentLacks);
}

// What clang 19 refuses though the compilers that old programs were written for accept it, with a warning at most.
constexpr std::array kRefusedInC{"implicit-function-declaration", "implicit-int", "int-conversion",
                                 "incompatible-function-pointer-types", "return-mismatch"};
constexpr std::array kRefusedInCxx{"register", "c++11-narrowing", "reserved-user-defined-literal",
                                   "enum-constexpr-conversion", "missing-template-arg-list-after-template-kw"};

/// Whoever asks for errors gets them. The C compiler takes C++ files, too, the other way round they are read as C++.
void accept_old_code(const Compiler& compiler, const std::vector<std::string>& words,
                     std::vector<std::string>& command) {
  const bool wants_errors = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("-Werror") || word == "-pedantic-errors";
  });
  if (wants_errors) return;
  for (const char* warning : kRefusedInCxx) command.push_back(fmt::format("-Wno-error={}", warning));
  if (compiler.is_cxx) return;
  for (const char* warning : kRefusedInC) command.push_back(fmt::format("-Wno-error={}", warning));
}

/// Our options go in front, where no option of the user's can swallow them; only -g must come last to count.
std::vector<std::string> compiler_command(const Compiler& compiler, const std::vector<std::string>& words,
                                          const CommandLine& line) {
  std::vector<std::string> command{compiler.path};
  if (compiler.is_cxx) command.emplace_back("--driver-mode=g++");
  const bool captures = line.action != Action::kNoObject && !line.other_target && line.compiles;
  if (captures) {
    const std::string plugin = parts_directory() / "culprit-capture.so";
    command.insert(command.end(), {"--start-no-unused-arguments", "-fpass-plugin=" + plugin, "-Xclang",
                                   // With it on, clang replaces declarations of variables before the pipeline starts.
                                   "-fexperimental-assignment-tracking=disabled",
                                   // Debian 12's valgrind cannot read clang's DWARF 5. The user's -gdwarf-5 wins.
                                   "-fdebug-default-version=4", "--end-no-unused-arguments"});
    accept_old_code(compiler, words, command);
  }
  const auto rest = std::find(words.begin(), words.end(), "--");
  command.insert(command.end(), words.begin(), rest);
  if (captures && !line.full_debug_info) {
    command.insert(command.end(), {"--start-no-unused-arguments", "-g", "--end-no-unused-arguments"});
  }
  command.insert(command.end(), rest, words.end());
  return command;
}

std::vector<char*> c_strings(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

[[noreturn]] void cannot_run(const std::string& program, int error) {
  throw UserError(fmt::format("cannot run {}: {}", program, std::strerror(error)), "check its permissions",
                  ExitCode::kEnvironmentLacks);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  ::execv(command[0].c_str(), c_strings(command).data());
  cannot_run(command[0], errno);
}

volatile sig_atomic_t running_compiler = 0;

void pass_on_signal(int signal) {
  if (running_compiler > 0) ::kill(running_compiler, signal);
}

/// Runs the compiler and waits. Whoever stops us means the compiler, which removes its own temporary files.
int wait_status_of(const std::vector<std::string>& command) {
  pid_t child = 0;
  if (const int error =
          ::posix_spawn(&child, command[0].c_str(), nullptr, nullptr, c_strings(command).data(), environ)) {
    cannot_run(command[0], error);
  }
  running_compiler = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, pass_on_signal);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
  }
  running_compiler = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  return status;
}

/// Leaves in the linked file how it was linked. The section is added to the finished file: nothing that the user's link
/// sees differs from clang's, neither an additional object nor its traces in maps and dependency files.
void leave_link_record(const Compiler& compiler, const CommandLine& line) {
  const std::string output = line.output.empty() ? "a.out" : line.output;
  if (!fs::is_regular_file(output)) return;
  try {
    const RecordedLink link = record_link(line, compiler.path, compiler.is_cxx);
    append_section(output, format::kLinkSection, link_section_bytes(link.record, link.files));
  } catch (const std::exception& error) {
    // The link itself succeeded, and a program without the record can be used.
    fmt::print(stderr, "culprit-cc: warning: {} gets no record of how it was linked: {}\n", output, error.what());
  }
}

/// What the linker says of it, "cannot find -lomp", names no package.
void tell_of_missing_library(const std::vector<std::string>& words) {
  const auto is_openmp = [](const std::string& word) { return word == "-fopenmp" || word == "-fopenmp=libomp"; };
  if (std::none_of(words.begin(), words.end(), is_openmp)) return;
  fmt::print(
      stderr,
      "culprit-cc: -fopenmp needs clang's OpenMP library, not gcc's. If the linker did not find -lomp, install it "
      "(Debian: libomp-19-dev), or build without -fopenmp: the program then runs in one thread\n");
}

int drive(int argc, char** argv) {
  const Compiler compiler = find_compiler(argv[0]);
  const std::vector<std::string> words(argv + 1, argv + argc);
  const CommandLine line = parse_command_line(words);
  const std::vector<std::string> command = compiler_command(compiler, words, line);
  const bool links = line.action == Action::kLink || line.action == Action::kRelocatable;
  if (!links || line.other_target) become(command);

  const int status = wait_status_of(command);
  if (WIFSIGNALED(status)) {
    ::raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  if (WEXITSTATUS(status) == 0) leave_link_record(compiler, line);
  if (WEXITSTATUS(status) != 0) tell_of_missing_library(words);
  return WEXITSTATUS(status);
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  const char* name = std::strrchr(argv[0], '/') ? std::strrchr(argv[0], '/') + 1 : argv[0];
  try {
    return culprit::drive(argc, argv);
  } catch (const culprit::UserError& error) {
    fmt::print(stderr, "{}: {}\n{}: remedy: {}\n", name, error.what(), name, error.remedy());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return static_cast<int>(culprit::ExitCode::kBadUsage);
  }
}
