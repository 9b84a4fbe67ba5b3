#include "runtime/loader/altered_files.h"

#include "runtime/loader/files.h"
#include "runtime/loader/text.h"

namespace culprit::loader {
namespace {

constexpr uint32_t kMostFiles = 256;  // descriptors; later ones are not followed
constexpr uint32_t kLongestPath = 256;
constexpr uint64_t kAccessMode = 3;
constexpr uint64_t kEmptyPath = 0x1000;  // AT_EMPTY_PATH

enum class Content : uint8_t { kNone, kUnknown, kFile, kWritten };

struct OpenFile {
  Content content;
  uint8_t output;  ///< kShowOnOutput or kShowOnError: the program's first output or error
  int real;        ///< 0: not opened yet; -1: cannot be opened
  uint64_t position;
  char path[kLongestPath];
};

OpenFile files[kMostFiles] = {{Content::kFile, 0, 0, 0, "/proc/self/fd/0"},
                              {Content::kUnknown, format::kShowOnOutput, 0, 0, ""},
                              {Content::kUnknown, format::kShowOnError, 0, 0, ""}};

OpenFile* file_at(uint64_t fd) {
  return fd < kMostFiles ? &files[fd] : nullptr;
}

const char* path_of(const Call& call) {
  return reinterpret_cast<const char*>(call.arguments[call.number == __NR_openat ? 1 : 0]);
}

bool opens_for_writing(const Call& call) {
  const uint64_t flags = call.arguments[call.number == __NR_openat ? 2 : 1];
  return call.number == __NR_creat || (flags & kAccessMode) != O_RDONLY;
}

void forget(OpenFile& file) {
  if (file.real > 0) raw(__NR_close, static_cast<uint64_t>(file.real));
  file = {};
}

void remember(const Call& call, uint64_t fd) {
  OpenFile* file = file_at(fd);
  if (file == nullptr) return;
  forget(*file);
  const char* path = path_of(call);
  const uint64_t bytes = text_bytes(path);
  const bool found_again = bytes < kLongestPath && (call.number != __NR_openat || path[0] == '/' ||
                                                    static_cast<int>(call.arguments[0]) == AT_FDCWD);
  file->content = opens_for_writing(call) ? Content::kWritten : found_again ? Content::kFile : Content::kUnknown;
  if (found_again) __builtin_memcpy(file->path, path, bytes + 1);
}

void copy_file(uint64_t from, uint64_t to) {
  const OpenFile* source = file_at(from);
  OpenFile* target = file_at(to);
  if (source == nullptr || target == nullptr || from == to) return;
  forget(*target);
  *target = *source;
  target->real = 0;
}

uint64_t lowest_free(uint64_t from) {
  while (from < kMostFiles && files[from].content != Content::kNone) ++from;
  return from;
}

/// A fork shares its descriptors with the session that it comes from, which are not to become more. False when the
/// kernel cannot part them.
bool part_descriptors() {
  constexpr uint64_t kNone = 0xffffffff, kUnshare = 2;
  return raw(__NR_close_range, kNone, kNone, kUnshare) == 0;
}

/// Regular files and folders that were opened for reading; a device or pipe would give what was never recorded.
int open_again(OpenFile& file) {
  constexpr uint32_t kType = 0170000, kRegular = 0100000, kFolder = 0040000;
  if (file.content != Content::kFile) return -1;
  if (file.real != 0) return file.real;
  file.real = -1;
  if (!part_descriptors()) return -1;
  const long fd = raw(__NR_openat, AT_FDCWD, word(file.path), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat status;
  if (failed(fd)) return -1;
  const uint32_t type = raw(__NR_fstat, static_cast<uint64_t>(fd), word(&status)) == 0 ? status.st_mode & kType : 0;
  if (type == kRegular || type == kFolder) {
    file.real = move_high(static_cast<int>(fd));
  } else {
    raw(__NR_close, static_cast<uint64_t>(fd));
  }
  return file.real;
}

struct Piece {
  uint64_t start, bytes;
};

long read_pieces(OpenFile& file, const Piece* pieces, uint64_t count) {
  long all = 0;
  for (uint64_t each = 0; each < count; ++each) {
    const long got = raw(__NR_pread64, static_cast<uint64_t>(file.real), pieces[each].start, pieces[each].bytes,
                         file.position + static_cast<uint64_t>(all));
    if (failed(got)) return all > 0 ? all : got;
    all += got;
    if (static_cast<uint64_t>(got) < pieces[each].bytes) break;
  }
  return all;
}

long seek(const OpenFile& file, const Call& call) {
  struct stat status;
  uint64_t from = 0;
  if (call.arguments[2] == 1) from = file.position;
  if (call.arguments[2] == 2) {
    if (raw(__NR_fstat, static_cast<uint64_t>(file.real), word(&status)) != 0) return -EINVAL;
    from = static_cast<uint64_t>(status.st_size);
  }
  const auto to = static_cast<int64_t>(from + call.arguments[1]);
  return to < 0 || call.arguments[2] > 2 ? -EINVAL : to;
}

bool is_about_descriptor(const Call& call) {
  switch (call.number) {
    case __NR_read:
    case __NR_readv:
    case __NR_pread64:
    case __NR_lseek:
    case __NR_fstat:
    case __NR_getdents64:
    case __NR_fadvise64:
      return true;
    case __NR_newfstatat:
      return (call.arguments[3] & kEmptyPath) != 0;
    default:
      return false;
  }
}

/// The same calls, on a file that could be opened again.
bool answer_on_file(const Call& call, OpenFile& file, long& result) {
  const uint64_t* arguments = call.arguments;
  const auto real = static_cast<uint64_t>(file.real);
  switch (call.number) {
    case __NR_read: {
      const Piece piece = {arguments[1], arguments[2]};
      result = read_pieces(file, &piece, 1);
      return true;
    }
    case __NR_readv:
      result = read_pieces(file, reinterpret_cast<const Piece*>(arguments[1]), arguments[2]);
      return true;
    case __NR_pread64:
      result = raw(__NR_pread64, real, arguments[1], arguments[2], arguments[3]);
      return true;
    case __NR_lseek:
      result = seek(file, call);
      return true;
    case __NR_fstat:
      result = raw(__NR_fstat, real, arguments[1]);
      return true;
    case __NR_newfstatat:
      result = raw(__NR_fstat, real, arguments[2]);
      return true;
    case __NR_getdents64:
      result = raw(__NR_getdents64, real, arguments[1], arguments[2]);
      return true;
    case __NR_fadvise64:
      result = 0;
      return true;
    default:
      return false;
  }
}

/// A new descriptor for what the altered run opens; the real one is opened now, so that a missing file is noticed.
long open_altered(const Call& call) {
  const uint64_t fd = lowest_free(0);
  if (fd == kMostFiles) return -EMFILE;
  const uint64_t folder = call.number == __NR_openat ? call.arguments[0] : static_cast<uint64_t>(AT_FDCWD);
  if (static_cast<int>(folder) != AT_FDCWD && path_of(call)[0] != '/') return -ENOENT;
  if (opens_for_writing(call)) return static_cast<long>(fd);
  const uint64_t flags = call.arguments[call.number == __NR_openat ? 2 : 1];
  const long real = raw(__NR_openat, AT_FDCWD, word(path_of(call)), (flags & O_DIRECTORY) | O_RDONLY | O_CLOEXEC, 0);
  if (failed(real)) return real;
  raw(__NR_close, static_cast<uint64_t>(real));
  return static_cast<long>(fd);
}

}  // namespace

void follow_files(const Call& call, long result) {
  if (failed(result)) return;
  const uint64_t* arguments = call.arguments;
  const auto created = static_cast<uint64_t>(result);
  OpenFile* file = file_at(arguments[0]);
  switch (call.number) {
    case __NR_open:
    case __NR_openat:
    case __NR_creat:
      return remember(call, created);
    case __NR_close:
      if (file != nullptr) forget(*file);
      return;
    case __NR_dup:
    case __NR_dup2:
    case __NR_dup3:
      return copy_file(arguments[0], created);
    case __NR_fcntl:
      if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC) copy_file(arguments[0], created);
      return;
    case __NR_read:
    case __NR_readv:
    case __NR_write:
    case __NR_writev:
      if (file != nullptr) file->position += created;
      return;
    case __NR_lseek:
      if (file != nullptr) file->position = created;
      return;
    case __NR_pipe:
    case __NR_pipe2:
    case __NR_socketpair: {
      const auto* pair = reinterpret_cast<const int32_t*>(arguments[call.number == __NR_socketpair ? 3 : 0]);
      for (int each = 0; each < 2; ++each) {
        OpenFile* end = file_at(static_cast<uint64_t>(pair[each]));
        if (end == nullptr) continue;
        forget(*end);
        end->content = Content::kUnknown;
      }
      return;
    }
    default:
      if ((call.description->flags & format::kNewDescriptor) == 0) return;
      if (OpenFile* other = file_at(created); other != nullptr) {
        forget(*other);
        other->content = Content::kUnknown;
      }
  }
}

int real_descriptor(uint64_t fd) {
  OpenFile* file = file_at(fd);
  return file == nullptr ? -1 : open_again(*file);
}

uint8_t first_output(uint64_t fd) {
  const OpenFile* file = file_at(fd);
  return file == nullptr ? 0 : file->output;
}

bool answer_from_open_file(const Call& call, long& result) {
  if (call.description->arguments == 0) return false;
  OpenFile* file = file_at(call.arguments[0]);
  return file != nullptr && is_about_descriptor(call) && open_again(*file) > 0 && answer_on_file(call, *file, result);
}

bool answer_about_names(const Call& call, long& result) {
  const uint64_t* arguments = call.arguments;
  const bool from_here = static_cast<int>(arguments[0]) == AT_FDCWD;
  switch (call.number) {
    case __NR_open:
    case __NR_openat:
    case __NR_creat:
      result = open_altered(call);
      return true;
    case __NR_stat:
    case __NR_lstat:
    case __NR_access:
    case __NR_readlink:
    case __NR_getcwd:
      result = raw(static_cast<long>(call.number), arguments[0], arguments[1], arguments[2]);
      return true;
    case __NR_newfstatat:
    case __NR_faccessat:
      if (from_here)
        result = raw(static_cast<long>(call.number), arguments[0], arguments[1], arguments[2], arguments[3]);
      return from_here;
    case __NR_dup:
      result = static_cast<long>(lowest_free(0));
      return true;
    case __NR_dup2:
    case __NR_dup3:
      result = static_cast<long>(arguments[1]);
      return true;
    case __NR_fcntl: {
      const bool copies = arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC;
      result = copies ? static_cast<long>(lowest_free(arguments[2])) : 0;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace culprit::loader
