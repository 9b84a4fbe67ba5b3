#include "base/temporary_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path temporary_place(std::string_view purpose) {
  static unsigned made = 0;
  return fs::temp_directory_path() / fmt::format("culprit-{}.{}.{}", purpose, ::getpid(), made++);
}

}  // namespace culprit
