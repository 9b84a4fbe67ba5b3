#include "recording/ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "recording/frame.h"

namespace culprit::recording {
namespace fs = std::filesystem;

using format::RingHeader;

namespace {

constexpr uint64_t kMapped = format::kRingHeaderBytes + format::kRingBytes;
constexpr uint64_t kFrameBytes = 1u << 20;

int create(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    throw UserError(fmt::format("cannot make {}: {}", path.string(), std::strerror(errno)),
                    "check the permissions and the free space");
  }
  return fd;
}

void write_fully(int fd, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)),
                      "free space, or record into another place with -o DIRECTORY");
    }
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
}

}  // namespace

RingDrain::RingDrain(const fs::path& directory, int zstd_level, uint64_t log_limit, unsigned sync_seconds)
    : log_path_(directory / "log"), zstd_level_(zstd_level), log_limit_(log_limit), sync_seconds_(sync_seconds) {
  const int ring = create(directory / "ring", O_RDWR);
  // Real blocks: a full disk must not become a bus error in the program.
  const int full = ::posix_fallocate(ring, 0, static_cast<off_t>(kMapped));
  void* memory = full == 0 ? ::mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0) : MAP_FAILED;
  const int error = full != 0 ? full : errno;
  ::close(ring);
  if (memory == MAP_FAILED) {
    throw UserError(fmt::format("cannot make {}: {}", (directory / "ring").string(), std::strerror(error)),
                    "free space, or record into another place with -o DIRECTORY");
  }
  header_ = static_cast<RingHeader*>(memory);
  bytes_ = static_cast<const std::byte*>(memory) + format::kRingHeaderBytes;
  *header_ = {};
  std::memcpy(header_->magic, format::kRingMagic, sizeof header_->magic);
  header_->version = format::kRecordingVersion;
  header_->launcher = static_cast<uint32_t>(::getpid());
  header_->ring_bytes = format::kRingBytes;
  log_ = create(log_path_, O_WRONLY | O_APPEND);
  const format::LogHeader first = log_header();
  write_fully(log_, std::as_bytes(std::span(&first, 1)), log_path_);
}

RingDrain::~RingDrain() {
  if (header_) ::munmap(header_, kMapped);
  if (log_ >= 0) ::close(log_);
}

void RingDrain::drain() {
  const uint64_t committed = __atomic_load_n(&header_->committed, __ATOMIC_ACQUIRE);
  for (uint64_t at = header_->consumed; at < committed;) {
    const uint64_t place = at % format::kRingBytes;
    const uint64_t here = std::min({committed - at, format::kRingBytes - place, kFrameBytes});
    const auto frame = encode_frame(at, std::span(bytes_ + place, here), zstd_level_);
    if (log_limit_ != 0 && log_bytes_ + frame.size() > log_limit_) {
      throw UserError(fmt::format("the log has reached the limit of {} bytes", log_limit_), "set a higher --limit");
    }
    write_fully(log_, frame, log_path_);
    log_bytes_ += frame.size();
    at += here;
    __atomic_store_n(&header_->consumed, at, __ATOMIC_RELEASE);
    __atomic_add_fetch(&header_->wake_runtime, 1, __ATOMIC_RELEASE);
    ::syscall(SYS_futex, &header_->wake_runtime, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
}

void RingDrain::run() {
  while (__atomic_load_n(&stopping_, __ATOMIC_ACQUIRE) == 0) {
    const uint32_t seen = __atomic_load_n(&header_->wake_launcher, __ATOMIC_ACQUIRE);
    // Small rests stay in the ring, where they are as safe as in the log.
    if (__atomic_load_n(&header_->committed, __ATOMIC_ACQUIRE) - header_->consumed >= kFrameBytes) {
      drain();
      continue;
    }
    if (__atomic_load_n(&stopping_, __ATOMIC_ACQUIRE)) break;
    const timespec rest = {static_cast<time_t>(sync_seconds_), 0};
    const long woken =
        ::syscall(SYS_futex, &header_->wake_launcher, FUTEX_WAIT, seen, sync_seconds_ ? &rest : nullptr, nullptr, 0);
    if (woken != 0 && errno == ETIMEDOUT) drain();
    const time_t now = ::time(nullptr);
    if (sync_seconds_ == 0 || now - synced_at_ < static_cast<time_t>(sync_seconds_)) continue;
    ::fdatasync(log_);
    synced_at_ = now;
  }
}

void RingDrain::stop() {
  __atomic_store_n(&stopping_, 1u, __ATOMIC_RELEASE);
  __atomic_add_fetch(&header_->wake_launcher, 1, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &header_->wake_launcher, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void RingDrain::close() {
  const auto self = static_cast<uint32_t>(::getpid());
  for (;;) {
    uint32_t holder = 0;
    if (__atomic_compare_exchange_n(&header_->writer, &holder, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) break;
    if (::kill(static_cast<pid_t>(holder), 0) != 0 && errno == ESRCH) break;
    drain();  // it may wait for room
    ::usleep(100);
  }
  __atomic_store_n(&header_->closed, 1u, __ATOMIC_RELEASE);
  __atomic_store_n(&header_->writer, 0u, __ATOMIC_RELEASE);
}

void RingDrain::end_program() {
  __atomic_store_n(&header_->ends, 1u, __ATOMIC_RELEASE);
}

void RingDrain::give_up(int error) {
  __atomic_store_n(&header_->error, static_cast<uint32_t>(error), __ATOMIC_RELEASE);
  __atomic_add_fetch(&header_->wake_runtime, 1, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &header_->wake_runtime, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

int RingDrain::error() const {
  return static_cast<int>(__atomic_load_n(&header_->error, __ATOMIC_ACQUIRE));
}

uint64_t RingDrain::stream_bytes() const {
  return __atomic_load_n(&header_->committed, __ATOMIC_ACQUIRE);
}

}  // namespace culprit::recording
