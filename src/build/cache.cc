#include "build/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "build/content_hash.h"

namespace culprit {
namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest.json";

struct Entry {
  fs::path directory;
  uint64_t bytes = 0;
  fs::file_time_type last_used;
};

uint64_t bytes_under(const fs::path& directory) {
  uint64_t bytes = 0;
  std::error_code gone;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(directory, gone)) {
    if (file.is_regular_file(gone)) bytes += file.file_size(gone);
  }
  return bytes;
}

std::vector<Entry> entries_in(const fs::path& directory) {
  std::vector<Entry> entries;
  std::error_code gone;  // another process may remove entries while we look
  for (const fs::directory_entry& each : fs::directory_iterator(directory, gone)) {
    const auto last_used = fs::last_write_time(each.path() / kManifest, gone);
    entries.push_back({each.path(), bytes_under(each.path()), gone ? fs::file_time_type::min() : last_used});
  }
  return entries;
}

nlohmann::json manifest_of(const fs::path& directory) {
  nlohmann::json files = nlohmann::json::object();
  for (const fs::directory_entry& file : fs::directory_iterator(directory)) {
    files[file.path().filename().string()] = {{"bytes", file.file_size()}, {"xxh3", hash_of_file(file.path())}};
  }
  return {{"files", files}};
}

/// Whether the folder's files are those that its manifest lists.
bool is_whole(const fs::path& directory) {
  try {
    const nlohmann::json manifest = nlohmann::json::parse(read_file(directory / kManifest));
    for (const auto& [name, file] : manifest.at("files").items()) {
      const fs::path path = directory / name;
      if (fs::file_size(path) != file.at("bytes").get<uint64_t>()) return false;
      if (hash_of_file(path) != file.at("xxh3").get<std::string>()) return false;
    }
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  } catch (const UserError&) {
    return false;
  }
}

void make_private_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    throw UserError(fmt::format("cannot make the cache folder {}: {}", directory.string(), std::strerror(errno)),
                    "set CULPRIT_CACHE to a folder that you may write");
  }
}

}  // namespace

uint64_t parse_byte_count(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const std::string_view powers = "KMGT";
  unsigned shift = 0;
  bool known = error == std::errc() && (unit.empty() || unit == "B");
  if (error == std::errc() && !unit.empty() && powers.find(unit[0]) != std::string_view::npos) {
    shift = 10 * static_cast<unsigned>(powers.find(unit[0]) + 1);
    known = unit.size() == 1 || unit.substr(1) == "B" || unit.substr(1) == "iB";
  }
  if (!known || number > (UINT64_MAX >> shift)) {
    throw UserError(fmt::format("`{}` is not a size", text), "write bytes, or a number with K, M, G or T");
  }
  return number << shift;
}

FileLock::FileLock(const fs::path& path, const std::function<void()>& on_wait)
    : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ < 0) {
    throw UserError(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)),
                    "check the permissions of the cache folder");
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  on_wait();
  while (::flock(fd_, LOCK_EX) != 0) {
    CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
    try {
      throw_if_interrupted();
    } catch (...) {
      ::close(fd_);
      throw;
    }
  }
}

FileLock::~FileLock() {
  ::close(fd_);
}

Cache::Cache(fs::path directory, uint64_t limit) : directory_(fs::absolute(directory)), limit_(limit) {
  make_private_directory(directory_);
  for (const char* part : {"entries", "locks", "staging"}) make_private_directory(directory_ / part);
}

Cache Cache::of_user() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string limit = variable("CULPRIT_CACHE_LIMIT");
  const uint64_t bytes = limit.empty() ? kDefaultCacheLimit : parse_byte_count(limit);
  if (const std::string path = variable("CULPRIT_CACHE"); !path.empty()) return Cache(path, bytes);
  if (const std::string path = variable("XDG_CACHE_HOME"); !path.empty())
    return Cache(fs::path(path) / "culprit", bytes);
  if (const std::string path = variable("HOME"); !path.empty())
    return Cache(fs::path(path) / ".cache" / "culprit", bytes);
  throw UserError("no place for the cache is known", "set CULPRIT_CACHE or HOME", ExitCode::kEnvironmentLacks);
}

std::optional<fs::path> Cache::find(const std::string& key) const {
  const fs::path entry = directory_ / "entries" / key;
  if (!fs::exists(entry)) return std::nullopt;
  if (!is_whole(entry)) {
    remove_entry(entry);
    return std::nullopt;
  }
  std::error_code gone;
  fs::last_write_time(entry / kManifest, fs::file_time_type::clock::now(), gone);
  return entry;
}

FileLock Cache::lock(const std::string& key, const std::function<void()>& on_wait) const {
  return FileLock(directory_ / "locks" / key, on_wait);
}

TemporaryDirectory Cache::stage(const std::string& key) const {
  return TemporaryDirectory(directory_ / "staging" / fmt::format("{}.{}", ::getpid(), key));
}

fs::path Cache::publish(const std::string& key, const TemporaryDirectory& staged) const {
  write_file_atomically(staged.path() / kManifest, manifest_of(staged.path()).dump(1) + "\n");
  const fs::path entry = directory_ / "entries" / key;
  if (fs::exists(entry)) remove_entry(entry);
  fs::rename(staged.path(), entry);
  evict(key);
  remove_stale_staging();
  return entry;
}

void Cache::remove_entry(const fs::path& entry) const {
  // Renamed first, so that nobody finds it half removed.
  const fs::path doomed = directory_ / "staging" / fmt::format("{}.removed.{}", ::getpid(), entry.filename().string());
  std::error_code gone;
  fs::rename(entry, doomed, gone);
  fs::remove_all(doomed, gone);
}

void Cache::evict(const std::string& keep) const {
  const FileLock one_at_a_time(directory_ / "locks" / "evict", [] {});
  std::vector<Entry> entries = entries_in(directory_ / "entries");
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  for (const Entry& entry : entries) {
    if (bytes <= limit_) break;
    if (entry.directory.filename() == keep) continue;
    remove_entry(entry.directory);
    bytes -= entry.bytes;
  }
}

void Cache::remove_stale_staging() const {
  std::error_code gone;
  for (const fs::directory_entry& each : fs::directory_iterator(directory_ / "staging", gone)) {
    const std::string name = each.path().filename();
    pid_t owner = 0;
    std::from_chars(name.data(), name.data() + name.size(), owner);
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(each.path(), gone);
  }
}

CacheUse Cache::use() const {
  CacheUse use{.limit = limit_};
  for (const Entry& entry : entries_in(directory_ / "entries")) {
    ++use.entries;
    use.bytes += entry.bytes;
  }
  return use;
}

CacheUse Cache::clear() const {
  const CacheUse before = use();
  for (const Entry& entry : entries_in(directory_ / "entries")) remove_entry(entry.directory);
  remove_stale_staging();
  return before;
}

}  // namespace culprit
