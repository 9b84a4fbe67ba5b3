// Files and processes, with errors that name the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

/// A file mapped read-only for the life of this object. Throws UserError when it cannot be opened.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

/// The whole of a text file. Throws UserError when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// The whole of an open file, from its beginning; its position stays. As much as can be read.
std::string read_file(int descriptor);

/// Writes beside the target and renames, so that a reader sees the old file or the whole new one.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// The folder of Culprit's own parts (`lib/culprit`), found from the running executable's place.
std::filesystem::path parts_directory();

/// Finds `name` in PATH.
std::optional<std::filesystem::path> find_in_path(std::string_view name);

/// How a child process ended.
struct ProcessEnd {
  int exit_status = 0;  ///< valid when signal is 0
  int signal = 0;
  bool succeeded() const { return signal == 0 && exit_status == 0; }
};

/// Runs a program (looked up in PATH) with inherited standard streams and waits for it.
/// Throws UserError (kEnvironmentLacks) when it cannot be started.
ProcessEnd run_process(const std::vector<std::string>& command);

}  // namespace culprit
