// A folder for as long as it is needed.
#pragma once

#include <filesystem>
#include <string_view>

namespace culprit {

/// A folder that is removed, with all in it, unless it was given away. What a process that was killed left of its own,
/// the next one removes: it is locked as long as somebody has it.
class TemporaryDirectory {
 public:
  /// At this place, which must be ours; what was left there is removed. Throws UserError.
  explicit TemporaryDirectory(std::filesystem::path path);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// A place for one among the system's temporary files (TMPDIR), with `purpose` in its name; another one each time. The
/// first time, places of processes that are dead are emptied.
std::filesystem::path temporary_place(std::string_view purpose);

/// A place for one beside `wanted`, in which that is made ready before it gets its name. Places that dead processes
/// left there are emptied.
std::filesystem::path staging_place(const std::filesystem::path& wanted);

}  // namespace culprit
