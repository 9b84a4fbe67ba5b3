// culprit-cc and culprit-c++: clang, told to leave every unit's bitcode in its object. Everything the user asks for is
// passed on as it is; the name it is called by decides between C and C++, as with clang and clang++.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "capture/command_line.h"

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
                                   "-fexperimental-assignment-tracking=disabled", "--end-no-unused-arguments"});
  }
  const auto rest = std::find(words.begin(), words.end(), "--");
  command.insert(command.end(), words.begin(), rest);
  if (captures && !line.full_debug_info) {
    command.insert(command.end(), {"--start-no-unused-arguments", "-g", "--end-no-unused-arguments"});
  }
  command.insert(command.end(), rest, words.end());
  return command;
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  throw UserError(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)), "check its permissions",
                  ExitCode::kEnvironmentLacks);
}

int drive(int argc, char** argv) {
  const Compiler compiler = find_compiler(argv[0]);
  const std::vector<std::string> words(argv + 1, argv + argc);
  const CommandLine line = parse_command_line(words);
  become(compiler_command(compiler, words, line));
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
