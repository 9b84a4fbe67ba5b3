#include "recording/executed_children.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "format/child_request.h"
#include "recording/children.h"
#include "recording/manifest.h"
#include "recording/place.h"

namespace culprit::recording {
namespace fs = std::filesystem;

using format::ChildAnswer;
using format::ChildRequest;

namespace {

constexpr int kPatienceSeconds = 10;  // with a child that says nothing

[[noreturn]] void cannot_listen(const fs::path& path) {
  throw UserError(fmt::format("cannot listen at {}: {}", path.string(), std::strerror(errno)),
                  "record into another place with -o DIRECTORY");
}

bool read_fully(int from, void* to, size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(from, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

void send_fully(int to, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t put = ::send(to, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // the child is gone
    at += static_cast<size_t>(put);
  }
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\0', at);
    if (end == std::string::npos) break;
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// A new directory in executed/ of `recording`: PROCESS, or PROCESS-2, … when the process had one before.
fs::path make_childs_directory(const fs::path& recording, int32_t process) {
  fs::create_directory(executed_folder(recording));
  fs::permissions(executed_folder(recording), fs::perms::owner_all);
  for (int number = 1;; ++number) {
    const std::string name =
        number == 1 ? std::to_string(process) : fmt::format("{}-{}", process, number);
    const fs::path directory = executed_folder(recording) / name;
    if (::mkdir(directory.c_str(), 0700) == 0) {
      fs::create_directory(directory / "files");
      fs::create_directory(children_folder(directory));
      fs::permissions(directory / "files", fs::perms::owner_all);
      fs::permissions(children_folder(directory), fs::perms::owner_all);
      return directory;
    }
    if (errno != EEXIST) throw std::system_error(errno, std::generic_category(), directory.string());
  }
}

std::string working_directory(int32_t process) {
  std::error_code failure;
  return fs::read_symlink(fmt::format("/proc/{}/cwd", process), failure).string();
}

}  // namespace

ExecutedChildren::ExecutedChildren(const fs::path& recording, BuildChild build)
    : recording_(recording), build_(std::move(build)) {
  const fs::path path = recording / format::kChildRequests;
  // Paths of sockets are short; those of descriptors are, too.
  const int folder = ::open(recording.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  fmt::format_to_n(name.sun_path, sizeof name.sun_path - 1, "/proc/self/fd/{}/{}", folder, format::kChildRequests);
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr int kBacklog = 128;
  const bool listens = folder >= 0 && listening_ >= 0 &&
                       ::bind(listening_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                       ::listen(listening_, kBacklog) == 0 && ::pipe2(wake_, O_CLOEXEC) == 0;
  if (folder >= 0) ::close(folder);
  if (!listens) {
    if (listening_ >= 0) ::close(listening_);
    cannot_listen(path);
  }
  thread_ = std::thread([this] { serve(); });
}

ExecutedChildren::~ExecutedChildren() {
  ::close(wake_[1]);
  thread_.join();
  ::close(wake_[0]);
  ::close(listening_);
  std::error_code failure;
  fs::remove(recording_ / format::kChildRequests, failure);
}

void ExecutedChildren::serve() {
  pollfd waited[2] = {{listening_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
  for (;;) {
    if (::poll(waited, 2, -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) return;
    if (!(waited[0].revents & POLLIN)) continue;
    const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const timeval patience = {kPatienceSeconds, 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    try {
      answer(connection);
    } catch (const std::exception& error) {
      // The child hears nothing and runs unrecorded.
      fmt::print(stderr, "culprit: a child is not recorded: {}\n", error.what());
    }
    ::close(connection);
  }
}

void ExecutedChildren::answer(int connection) const {
  ChildRequest request;
  if (!read_fully(connection, &request, sizeof request)) return;
  if (std::memcmp(request.magic, format::kChildRequestMagic, sizeof request.magic) != 0) return;
  if (request.bytes > format::kMostChildWords) return;
  std::string text(request.bytes, '\0');
  if (!read_fully(connection, text.data(), text.size())) return;
  std::vector<std::string> words = words_of(text);
  if (words.size() < 2) return;
  const fs::path program = words[0];
  words.erase(words.begin());

  const ChildBuild build = build_(program);
  std::string reply;
  if (!build.executable.empty()) {
    const fs::path directory = make_childs_directory(recording_, request.process);
    Manifest manifest = begun_manifest();
    manifest.program = program.string();
    manifest.arguments = words;
    manifest.directory = working_directory(request.process);
    manifest.build_key = build.key;
    write_manifest(directory, manifest);
    reply = directory.lexically_relative(recording_).string() + '\0' + build.executable.string() + '\0';
  }
  const ChildAnswer answer = {static_cast<uint32_t>(reply.size())};
  send_fully(connection, std::string(reinterpret_cast<const char*>(&answer), sizeof answer) + reply);
}

}  // namespace culprit::recording
