#include "recording/place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace culprit::recording {
namespace fs = std::filesystem;

namespace {

constexpr const char* kLatest = "latest";

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

fs::path default_folder() {
  if (const fs::path folder = from_environment("CULPRIT_RECORDINGS"); !folder.empty()) return folder;
  if (const fs::path shared = from_environment("XDG_DATA_HOME"); !shared.empty()) {
    return shared / "culprit" / "recordings";
  }
  const fs::path home = from_environment("HOME");
  if (home.empty()) {
    throw UserError("there is no place for recordings: HOME is not set",
                    "name one with -o DIRECTORY, or set CULPRIT_RECORDINGS");
  }
  return home / ".local" / "share" / "culprit" / "recordings";
}

fs::path make_directory(const fs::path& wanted, const std::string& program) {
  fs::path directory;
  const auto make = [](const fs::path& path) { return ::mkdir(path.c_str(), 0700) == 0; };
  if (!wanted.empty()) {
    directory = fs::absolute(wanted);
    if (!make(directory)) {
      throw UserError(
          fmt::format("cannot make {}: {}", directory.string(), std::strerror(errno)),
          errno == EEXIST ? "name a directory that does not exist yet" : "check the path and the permissions");
    }
  } else {
    const fs::path folder = fs::absolute(default_folder());
    std::error_code failure;
    fs::create_directories(folder, failure);
    for (int number = 1;; ++number) {
      directory = folder / fmt::format("{}-{}", program, number);
      if (make(directory)) break;
      if (errno != EEXIST) {
        throw UserError(fmt::format("cannot make {}: {}", directory.string(), std::strerror(errno)),
                        "name another place with -o DIRECTORY");
      }
    }
  }
  if (!make(directory / "files")) {
    throw UserError(fmt::format("cannot make {}: {}", (directory / "files").string(), std::strerror(errno)),
                    "check the permissions and the free space");
  }
  return directory;
}

void point_latest(const fs::path& directory) {
  std::error_code failure;
  if (!fs::equivalent(directory.parent_path(), default_folder(), failure) || failure) return;
  const fs::path link = directory.parent_path() / kLatest;
  const fs::path fresh = directory.parent_path() / fmt::format(".latest.{}", ::getpid());
  fs::remove(fresh, failure);
  fs::create_symlink(directory.filename(), fresh, failure);
  if (!failure) fs::rename(fresh, link, failure);
}

fs::path find_recording(const std::string& name) {
  const std::string wanted = name.empty() ? kLatest : name;
  const bool is_path = wanted.find('/') != std::string::npos;
  if (!name.empty() && fs::is_directory(wanted)) return fs::absolute(wanted);
  if (!is_path && fs::is_directory(default_folder() / wanted)) return fs::canonical(default_folder() / wanted);
  std::string there;
  for (const fs::path& each : all_recordings()) there += (there.empty() ? "" : ", ") + each.filename().string();
  throw UserError(
      name.empty() ? std::string("there is no recording yet") : fmt::format("there is no recording {}", name),
      there.empty() ? "make one with `culprit record -- PROGRAM`" : "name a directory or one of: " + there);
}

std::optional<fs::path> recording_named(const std::string& word) {
  for (const fs::path& folder : {fs::path(word), default_folder() / word}) {
    const bool says_what_it_is = fs::exists(folder / "manifest.json") || fs::exists(folder / "origin");
    if (says_what_it_is && fs::exists(folder / "log")) return folder;
  }
  return std::nullopt;
}

std::vector<fs::path> all_recordings() {
  std::vector<fs::path> all;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(default_folder(), failure)) {
    if (!entry.is_symlink() && fs::exists(entry.path() / "manifest.json")) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace culprit::recording
