#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"

extern char** environ;

namespace culprit {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_open(const fs::path& path, int error) {
  throw UserError(fmt::format("cannot open {}: {}", path.string(), std::strerror(error)),
                  "check the name and the permissions");
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_to_open(path, errno);
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    throw UserError(fmt::format("{} is not a regular file", path.string()), "name a regular file");
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size > 0) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int error = errno;
    ::close(fd);
    if (address == MAP_FAILED) fail_to_open(path, error);
    bytes_ = {static_cast<const std::byte*>(address), size};
  } else {
    ::close(fd);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept : path_(std::move(other.path_)), bytes_(other.bytes_) {
  other.bytes_ = {};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail_to_open(path, errno);
  std::ostringstream contents;
  contents << in.rdbuf();
  return std::move(contents).str();
}

std::string read_file(int descriptor) {
  struct stat status {};
  CULPRIT_ASSERT(::fstat(descriptor, &status) == 0, std::strerror(errno));
  std::string contents(static_cast<size_t>(status.st_size), '\0');
  size_t have = 0;
  while (have < contents.size()) {
    const ssize_t got = ::pread(descriptor, contents.data() + have, contents.size() - have, static_cast<off_t>(have));
    if (got <= 0) break;
    have += static_cast<size_t>(got);
  }
  contents.resize(have);
  return contents;
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
  fs::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw UserError(fmt::format("cannot write {}", temporary.string()), "check the permissions and the free space");
  }
  fs::rename(temporary, path);
}

fs::path parts_directory() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  // bin/culprit and lib/culprit/culprit-compile both lie one or two levels below the same prefix.
  for (fs::path at = self.parent_path(); !at.empty() && at != at.root_path(); at = at.parent_path()) {
    const fs::path parts = at / "lib" / "culprit";
    if (fs::exists(parts / "culprit-ld") || fs::exists(parts / "culprit-capture.so")) return parts;
  }
  throw UserError(fmt::format("Culprit's own parts are missing beside {}", self.string()),
                  "install Culprit whole, or run it from its build tree", ExitCode::kEnvironmentLacks);
}

std::optional<fs::path> find_in_path(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return ::access(std::string(name).c_str(), X_OK) == 0 ? std::optional<fs::path>(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
  }
  return std::nullopt;
}

ProcessEnd run_process(const std::vector<std::string>& command) {
  CULPRIT_ASSERT(!command.empty(), "no command");
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ)) {
    throw UserError(fmt::format("cannot run {}: {}", command[0], std::strerror(error)), "install it, or check PATH",
                    ExitCode::kEnvironmentLacks);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
  }
  if (WIFSIGNALED(status)) return {.exit_status = 0, .signal = WTERMSIG(status)};
  return {.exit_status = WEXITSTATUS(status), .signal = 0};
}

}  // namespace culprit
