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
#include <string_view>

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

std::optional<pid_t> number_of_process(std::string_view text) {
  pid_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (rest != text.data() + text.size() || error != std::errc() || number <= 0) return std::nullopt;
  return number;
}

/// The process in a name as of temporary_place(); nothing when it is none.
std::optional<pid_t> maker_of(std::string_view name) {
  if (!name.starts_with("culprit-")) return std::nullopt;
  const size_t last = name.rfind('.'), before = last == 0 ? last : name.rfind('.', last - 1);
  if (last == std::string_view::npos || before == std::string_view::npos) return std::nullopt;
  return number_of_process(name.substr(before + 1, last - before - 1));
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

/// `maker`: the process in a name; nothing when it is not ours.
template <typename Maker>
void remove_leftovers(const fs::path& folder, Maker&& maker) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::optional<pid_t> by = maker(entry.path().filename().string());
    if (by && is_left_over(entry.path(), *by)) fs::remove_all(entry.path(), error);
  }
}

}  // namespace

fs::path temporary_place(std::string_view purpose) {
  static unsigned made = 0;
  if (made == 0) remove_leftovers(fs::temp_directory_path(), maker_of);
  return fs::temp_directory_path() / fmt::format("culprit-{}.{}.{}", purpose, ::getpid(), made++);
}

fs::path staging_place(const fs::path& wanted) {
  const std::string prefix = wanted.filename().string() + ".";
  remove_leftovers(wanted.parent_path(), [&prefix](std::string_view name) {
    return name.starts_with(prefix) ? number_of_process(name.substr(prefix.size())) : std::nullopt;
  });
  return wanted.string() + fmt::format(".{}", ::getpid());
}

}  // namespace culprit
