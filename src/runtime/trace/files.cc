#include "runtime/trace/files.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/syscall.h>

#include "format/tick_call.h"
#include "runtime/decimal.h"
#include "runtime/raw_syscall.h"

namespace culprit::runtime {
namespace {

constexpr unsigned kLongestName = 32;

char folder[PATH_MAX];
unsigned folder_length = 0;

/// Whether this is a replay: system calls of our own are then made by kHookCall.
bool replaying = false;
/// Where names of files begin: the folder is in `folder`, or it is a descriptor.
int folder_descriptor = AT_FDCWD;

using Path = char[PATH_MAX + kLongestName];

/// Returns where the path goes on.
char* begin_path(Path& path, const char* name) {
  char* at = path;
  if (folder_length > 0) {
    __builtin_memcpy(path, folder, folder_length);
    at += folder_length;
    *at++ = '/';
  }
  while (*name != '\0') *at++ = *name++;
  return at;
}

long open_path(const Path& path, int flags) {
  return trace_call(SYS_openat, folder_descriptor, as_argument(path), flags | O_CLOEXEC, 0600);
}

}  // namespace

long trace_call(long number, long a, long b, long c, long d, long e) {
  if (replaying) return raw_syscall(format::kHookCall, number, a, b, c, d, e);
  return raw_syscall(number, a, b, c, d, e);
}

bool use_folder(const char* name) {
  while (name[folder_length] != '\0' && folder_length + 1 < sizeof(folder)) {
    folder[folder_length] = name[folder_length];
    ++folder_length;
  }
  return name[folder_length] == '\0' && folder_length > 0;
}

void use_folder_of_replay() {
  replaying = true;
  folder_descriptor = format::kHookDescriptor;
}

long open_trace_file(const char* name, int flags) {
  Path path;
  *begin_path(path, name) = '\0';
  return open_path(path, flags);
}

long open_numbered_trace_file(const char* prefix, uint32_t number, int flags) {
  Path path;
  char* at = begin_path(path, prefix);
  for (const char digit : Decimal(number)) *at++ = digit;
  *at = '\0';
  return open_path(path, flags);
}

bool write_all(long file, const void* from, size_t bytes) {
  constexpr long kInterrupted = -4;  // EINTR
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const long written = trace_call(SYS_write, file, as_argument(at), static_cast<long>(bytes));
    if (written == kInterrupted) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace culprit::runtime
