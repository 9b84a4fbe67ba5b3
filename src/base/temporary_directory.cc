#include "base/temporary_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "base/error.h"

namespace culprit {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  fs::remove_all(path_, error);
  if (::mkdir(path_.c_str(), 0700) != 0) {
    throw UserError(fmt::format("cannot make {}: {}", path_.string(), std::strerror(errno)),
                    "check the permissions and the free space");
  }
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) ::flock(lock_, LOCK_SH);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

namespace {

/// The process in a name as of temporary_place(); nothing when it is none.
std::optional<pid_t> maker_of(const std::string& name) {
  if (!name.starts_with("culprit-")) return std::nullopt;
  const size_t last = name.rfind('.'), before = last == 0 ? last : name.rfind('.', last - 1);
  if (last == std::string::npos || before == std::string::npos) return std::nullopt;
  pid_t maker = 0;
  const char* const end = name.data() + last;
  const auto [rest, error] = std::from_chars(name.data() + before + 1, end, maker);
  if (rest != end || error != std::errc() || maker <= 0) return std::nullopt;
  return maker;
}

/// Numbers of processes mean something within a container only, locks everywhere.
bool is_left_over(const fs::path& place, pid_t maker) {
  if (::kill(maker, 0) == 0 || errno != ESRCH) return false;
  const int descriptor = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat its {};
  const bool left =
      ::fstat(descriptor, &its) == 0 && its.st_uid == ::geteuid() && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return left;
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::optional<pid_t> maker = maker_of(entry.path().filename().string());
    if (maker && is_left_over(entry.path(), *maker)) fs::remove_all(entry.path(), error);
  }
}

}  // namespace

fs::path temporary_place(std::string_view purpose) {
  static unsigned made = 0;
  if (made == 0) remove_leftovers(fs::temp_directory_path());
  return fs::temp_directory_path() / fmt::format("culprit-{}.{}.{}", purpose, ::getpid(), made++);
}

}  // namespace culprit
