#include "runtime/loader/files.h"

#include "runtime/loader/log_writer.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/text.h"

namespace culprit::loader {
namespace {

using format::FileIdentity;

struct Copy {
  FileIdentity identity;
  bool settled;  ///< its modification time was old enough that any later change shows in it
};
constexpr uint32_t kMostCopies = 65536;
Copy copies[kMostCopies];
uint32_t copy_count;

constexpr uint32_t kRegular = 0100000, kTypeMask = 0170000;
constexpr unsigned kFiclone = 0x40049409;

bool same_file(const FileIdentity& one, const FileIdentity& other) {
  return one.device == other.device && one.inode == other.inode && one.bytes == other.bytes &&
         one.modified_s == other.modified_s && one.modified_ns == other.modified_ns;
}

void name_of_copy(uint32_t index, Line& line) {
  line << "files/" << static_cast<uint64_t>(index);
}

/// 0, or why reading or writing failed.
long copy_contents(int from, int to, uint64_t bytes) {
  if (raw(__NR_ioctl, to, kFiclone, from) == 0) return 0;
  int64_t offset = 0;
  while (static_cast<uint64_t>(offset) < bytes) {
    const long result = raw(__NR_copy_file_range, from, word(&offset), to, 0, bytes - offset, 0);
    if (result == 0) break;
    if (result < 0) break;
  }
  static char buffer[65536];
  raw(__NR_lseek, to, offset, 0);
  while (static_cast<uint64_t>(offset) < bytes) {
    const long got = raw(__NR_pread64, from, word(buffer), sizeof buffer, offset);
    if (got == 0) break;
    if (got < 0) return got;
    for (long put = 0; put < got;) {
      const long result = raw(__NR_write, to, word(buffer + put), got - put);
      if (result < 0) return result;
      put += result;
    }
    offset += got;
  }
  return 0;
}

void log_copy(uint32_t index, int fd, const FileIdentity& identity) {
  static char path[4096];
  Line link;
  link << "/proc/self/fd/" << fd;
  long length = raw(__NR_readlink, word(link.text()), word(path), sizeof path);
  if (length < 0) length = 0;
  const PartSource parts[] = {{0, path, static_cast<uint32_t>(length), format::PartKind::kText},
                              {0, &identity, sizeof identity, format::PartKind::kIdentity}};
  append_event({.bytes = 0,
                .kind = format::EventKind::kFile,
                .flags = 0,
                .number = 0,
                .thread = 0,
                .check = 0,
                .result = index,
                .ticks = 0},
               parts, 2);
}

}  // namespace

uint32_t copy_in_recording(int fd) {
  struct stat status;
  if (raw(__NR_fstat, fd, word(&status)) != 0 || (status.st_mode & kTypeMask) != kRegular) return format::kNoFile;
  const FileIdentity identity = {status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
                                 static_cast<int64_t>(status.st_mtime), static_cast<int64_t>(status.st_mtime_nsec)};
  for (uint32_t index = copy_count; index-- > 0;) {
    if (copies[index].settled && same_file(copies[index].identity, identity)) return index;
  }
  if (copy_count == kMostCopies) return format::kNoFile;
  Line name;
  name_of_copy(copy_count, name);
  const long to = raw(__NR_openat, runtime.directory, word(name.text()), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (failed(to)) {
    cannot_record(to);
    return format::kNoFile;
  }
  // Mapped files can be opened for writing only; then a second descriptor reads.
  Line path;
  path << "/proc/self/fd/" << fd;
  const long from = raw(__NR_openat, AT_FDCWD, word(path.text()), O_RDONLY | O_CLOEXEC, 0);
  const long copied = copy_contents(failed(from) ? fd : static_cast<int>(from), static_cast<int>(to), identity.bytes);
  if (!failed(from)) raw(__NR_close, from);
  raw(__NR_close, to);
  if (copied != 0) {
    raw(__NR_unlinkat, runtime.directory, word(name.text()), 0);
    cannot_record(copied);
    return format::kNoFile;
  }
  __kernel_timespec now;
  raw(__NR_clock_gettime, 0, word(&now));
  copies[copy_count] = {identity, now.tv_sec - identity.modified_s > 2};
  log_copy(copy_count, fd, identity);
  return copy_count++;
}

uint32_t copies_made() {
  return copy_count;
}

void continue_copies(uint32_t made) {
  copy_count = made < kMostCopies ? made : kMostCopies;
}

int open_copy(uint32_t index) {
  // A child's own recording has the copies made after the fork; the others are with its parent's.
  constexpr int kMostParents = 32;
  Line folder;
  for (int parents = 0;; ++parents) {
    Line name, origin;
    name << folder.text();
    name_of_copy(index, name);
    const long fd = raw(__NR_openat, runtime.directory, word(name.text()), O_RDONLY | O_CLOEXEC, 0);
    if (!failed(fd)) return static_cast<int>(fd);
    origin << folder.text() << "origin";
    const bool has_parent = raw(__NR_faccessat, runtime.directory, word(origin.text()), 0 /* F_OK */) == 0;
    if (fd != -ENOENT || !has_parent || parents == kMostParents)
      fail("a copied file is missing from the recording", fd);
    folder << "../../";
  }
}

bool is_own_descriptor(uint64_t fd) {
  const auto descriptor = static_cast<int>(fd);
  return descriptor >= 0 && (descriptor == runtime.directory || descriptor == runtime.outer_directory);
}

int move_high(int fd) {
  uint64_t limit[2] = {1024, 1024};
  raw(__NR_getrlimit, 7 /* RLIMIT_NOFILE */, word(limit));
  const uint64_t top = limit[0] < 1048576 ? limit[0] : 1048576;
  long high = -EINVAL;
  for (uint64_t below = 8; below < top && failed(high); below += 64) {
    high = raw(__NR_fcntl, fd, F_DUPFD_CLOEXEC, top - below);
  }
  if (failed(high)) return fd;
  raw(__NR_close, fd);
  return static_cast<int>(high);
}

/// /dev/null and its like: the same file for everybody.
static bool is_memory_device(const struct stat& status) {
  constexpr uint32_t kCharacterDevice = 0020000, kMemoryMajor = 1;
  return (status.st_mode & kTypeMask) == kCharacterDevice && (status.st_rdev >> 8 & 0xfff) == kMemoryMajor;
}

void remember_outputs() {
  for (uint32_t fd = 1; fd <= 2; ++fd) {
    struct stat status;
    if (raw(__NR_fstat, fd, word(&status)) != 0) continue;
    runtime.shows[fd] = fd == 1 ? format::kShowOnOutput : format::kShowOnError;
    runtime.outputs[fd - 1] = {status.st_dev, status.st_ino, !is_memory_device(status)};
  }
}

/// Whether a newly opened descriptor is the file, pipe or terminal of the first output or error (/dev/stdout,
/// /dev/tty).
static uint8_t reopened_output(uint64_t fd) {
  struct stat status;
  if (raw(__NR_fstat, fd, word(&status)) != 0) return 0;
  for (uint32_t each = 0; each < 2; ++each) {
    const Runtime::Output& output = runtime.outputs[each];
    if (output.known && output.device == status.st_dev && output.inode == status.st_ino) {
      return each == 0 ? format::kShowOnOutput : format::kShowOnError;
    }
  }
  return 0;
}

void follow_descriptors(uint64_t number, const uint64_t* arguments, long result) {
  if (failed(result)) return;
  const auto shows = [](uint64_t fd) -> uint8_t { return fd < kMostDescriptors ? runtime.shows[fd] : 0; };
  const auto set = [](uint64_t fd, uint8_t value) {
    if (fd < kMostDescriptors) runtime.shows[fd] = value;
  };
  const auto created = static_cast<uint64_t>(result);
  switch (number) {
    case __NR_close:
      return set(arguments[0], 0);
    case __NR_dup:
    case __NR_dup2:
    case __NR_dup3:
      return set(created, shows(arguments[0]));
    case __NR_fcntl:
      if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC) set(created, shows(arguments[0]));
      return;
    case __NR_close_range:
      if (arguments[2] & 4 /* CLOSE_RANGE_CLOEXEC */) return;
      for (uint64_t fd = arguments[0]; fd < kMostDescriptors && fd <= arguments[1]; ++fd) set(fd, 0);
      return;
    case __NR_open:
    case __NR_openat:
    case __NR_openat2:
      return set(created, reopened_output(created));
    case __NR_pipe:
    case __NR_pipe2:
    case __NR_socketpair: {
      const auto* pair = reinterpret_cast<const int32_t*>(arguments[number == __NR_socketpair ? 3 : 0]);
      set(static_cast<uint64_t>(pair[0]), 0);
      return set(static_cast<uint64_t>(pair[1]), 0);
    }
    default:
      if (format::system_call(number).flags & format::kNewDescriptor) set(created, 0);
  }
}

}  // namespace culprit::loader
