// Finished builds, kept by what went into them.
//
// DIRECTORY/entries/KEY/   the files of a build and `manifest.json` (their sizes and hashes)
// DIRECTORY/locks/KEY      locked by the one process that builds KEY
// DIRECTORY/staging/…      builds under way; renamed into place, so that a reader sees a whole entry or none
//
// The manifest's modification time is the entry's last use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/temporary_directory.h"

namespace culprit {

inline constexpr uint64_t kDefaultCacheLimit = 10ULL << 30;

/// Reads "500M", "2GiB" or a number of bytes. Throws UserError otherwise.
uint64_t parse_byte_count(const std::string& text);

/// An exclusive lock on a file, waited for, released by destruction.
class FileLock {
 public:
  /// `on_wait` is called once before waiting for another process. Throws Interrupted inside an InterruptScope.
  FileLock(const std::filesystem::path& path, const std::function<void()>& on_wait);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

struct CacheUse {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t limit = 0;
};

class Cache {
 public:
  /// Makes the folder, readable by its owner only. Throws UserError when it cannot.
  Cache(std::filesystem::path directory, uint64_t limit);
  /// At CULPRIT_CACHE, or XDG_CACHE_HOME/culprit, or ~/.cache/culprit; the limit from CULPRIT_CACHE_LIMIT.
  static Cache of_user();

  /// The folder of a whole entry, which counts as used now. An entry that is not what its manifest says is removed.
  std::optional<std::filesystem::path> find(const std::string& key) const;
  /// Held while `key` is being built; look again with find after getting it.
  FileLock lock(const std::string& key, const std::function<void()>& on_wait) const;
  /// A fresh folder on the cache's file system to build in.
  TemporaryDirectory stage(const std::string& key) const;
  /// Makes the staged files the entry of `key`, then evicts what was not used for longest until the limit holds (never
  /// `key` itself). Returns the entry's folder.
  std::filesystem::path publish(const std::string& key, const TemporaryDirectory& staged) const;

  CacheUse use() const;
  /// Removes all entries; returns what was there.
  CacheUse clear() const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  void remove_entry(const std::filesystem::path& entry) const;
  void evict(const std::string& keep) const;
  void remove_stale_staging() const;

  std::filesystem::path directory_;
  uint64_t limit_;
};

}  // namespace culprit
