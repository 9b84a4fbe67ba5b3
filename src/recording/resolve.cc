// Which executable a command starts: PATH, and `#!` lines as the kernel reads them.

#include <fcntl.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/libtool.h"
#include "recording/record.h"

namespace culprit::recording {
namespace fs = std::filesystem;

namespace {

constexpr size_t kMostOfLine = 256;  // BINPRM_BUF_SIZE
constexpr int kDeepest = 5;

std::string first_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(kMostOfLine, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

std::optional<LibtoolProgram> libtool_program_at(const fs::path& path) {
  if (!first_bytes(path).starts_with("#!")) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return libtool_program(path, text);
}

}  // namespace

Executable resolve(const std::vector<std::string>& command) {
  CULPRIT_ASSERT(!command.empty(), "no command");
  const auto found = find_in_path(command[0]);
  if (!found) {
    throw UserError(fmt::format("there is no program {}", command[0]), "check the name, PATH and the permissions");
  }
  Executable executable = {.path = fs::absolute(*found).lexically_normal().string(), .arguments = command};
  if (const auto script = libtool_program_at(executable.path)) {
    executable.path = executable.arguments[0] = script->program.string();
    executable.library_path = script->library_path;
  }
  for (int depth = 0;; ++depth) {
    const std::string start = first_bytes(executable.path);
    if (start.starts_with("\x7f"
                          "ELF"))
      return executable;
    if (!start.starts_with("#!") || depth == kDeepest) {
      throw UserError(fmt::format("{} is neither an ELF executable nor a script with a #! line", executable.path),
                      "name the interpreter, too: culprit record -- INTERPRETER SCRIPT");
    }
    std::string line =
        start.substr(2, start.find('\n') == std::string::npos ? std::string::npos : start.find('\n') - 2);
    const auto trim = [](std::string text) {
      const auto from = text.find_first_not_of(" \t");
      const auto to = text.find_last_not_of(" \t");
      return from == std::string::npos ? std::string() : text.substr(from, to - from + 1);
    };
    line = trim(line);
    const auto space = line.find_first_of(" \t");
    const std::string interpreter = line.substr(0, space);
    if (interpreter.empty() || !fs::exists(interpreter)) {
      throw UserError(fmt::format("{} wants the interpreter {}, which is missing", executable.path, interpreter),
                      "install it, or correct the #! line");
    }
    std::vector<std::string> arguments = {interpreter};
    if (space != std::string::npos) arguments.push_back(trim(line.substr(space)));
    arguments.push_back(depth == 0 ? found->string() : executable.path);
    arguments.insert(arguments.end(), executable.arguments.begin() + 1, executable.arguments.end());
    executable = {.path = fs::absolute(interpreter).lexically_normal().string(), .arguments = arguments};
  }
}

}  // namespace culprit::recording
