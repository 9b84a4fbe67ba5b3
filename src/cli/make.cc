// `culprit make`: becomes a build command that compiles with culprit-cc and culprit-c++.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "cli/command.h"

namespace culprit::cli {
namespace {
namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> command;
  bool shim = false;
};

ExitCode become(const Options& options) {
  const fs::path tools = fs::read_symlink("/proc/self/exe").parent_path();
  ::setenv("CC", (tools / "culprit-cc").c_str(), 1);
  ::setenv("CXX", (tools / "culprit-c++").c_str(), 1);
  if (options.shim) {
    const char* path = std::getenv("PATH");
    ::setenv("PATH", fmt::format("{}:{}", (parts_directory() / "shim").string(), path ? path : "/usr/bin:/bin").c_str(),
             1);
  }

  std::vector<char*> argv;
  for (const std::string& word : options.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw UserError(fmt::format("cannot run {}: {}", options.command[0], std::strerror(errno)),
                  "install it, or check PATH", ExitCode::kEnvironmentLacks);
}

const Registration kRegistration{Command{
    .name = "make",
    .summary = "Run a build command so that it compiles with culprit-cc and culprit-c++",
    .description =
        "Sets CC and CXX to the absolute paths of culprit-cc and culprit-c++ and becomes the command, whose exit "
        "status "
        "is passed on; only when the command cannot be started the status is 3. make, configure, CMake and meson take "
        "the compilers from there; build folders configured before keep theirs, so start with a fresh one. With --shim "
        "a folder with the names cc, gcc, clang, c++, g++ and clang++ comes first in PATH, for makefiles "
        "that "
        "name their compiler.",
    .examples = {{"culprit make -- make -j4", "Builds with make, whose default rules use CC and CXX."},
                 {"culprit make -- sh -c './configure && make'", "Configures and builds an autotools project."},
                 {"culprit make -- cmake -B build && cmake --build build",
                  "CMake keeps the compilers it was configured with."},
                 {"culprit make -- meson setup build && ninja -C build", "So does meson."},
                 {"culprit make --shim -- make", "Also catches a makefile that calls gcc by name."}},
    .configure = [](CLI::App& app) -> std::function<ExitCode()> {
      auto options = std::make_shared<Options>();
      app.add_flag("--shim", options->shim, "Also put compilers named cc, gcc, g++, … first in PATH");
      app.add_option("command", options->command, "The build command, after --")->required();
      app.positionals_at_end();
      return [options] { return become(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
