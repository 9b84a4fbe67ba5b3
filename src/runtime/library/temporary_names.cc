// Takes the place of the library's functions that make up names of temporary files. Those of glibc begin their random
// numbers with the address of a variable of theirs, on the machine's stack, where bodies of different plans differ: a recording
// could not be replayed by another plan. Here the kernel gives the numbers, which recordings keep. Linked where a program uses
// one of them. Weak: a program that has its own keeps it.
//
// As POSIX and the glibc manual describe them ("Temporary Files"); templates end in six X.

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/raw_syscall.h"

#define CULPRIT_OVERRIDE extern "C" __attribute__((weak, visibility("default")))

extern "C" {
int* __errno_location();
void* fdopen(int descriptor, const char* mode);
char* secure_getenv(const char* name);
void* malloc(size_t bytes);
}

namespace culprit::runtime {
namespace {

constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr uint64_t kLetterCount = sizeof kLetters - 1;
constexpr size_t kRandom = 6;                   // X of a template
constexpr int kTries = 62 * 62 * 62;            // as glibc
constexpr char kDirectory[] = "/tmp";           // P_tmpdir
constexpr size_t kNameBytes = 20;               // L_tmpnam
constexpr size_t kMostDirectory = 4096 - 32;    // bytes of a directory's name in tempnam and tmpfile

size_t length_of(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

int fail(int error) {
  *__errno_location() = error;
  return -1;
}

/// Random enough to be unlikely names; never the same by the program's own doing.
void fill_in(char* name) {
  uint64_t number = 0;
  const auto got = raw_syscall(__NR_getrandom, as_argument(&number), sizeof number, /*flags=*/0);
  if (got != sizeof number) {
    struct {
      int64_t seconds, nanoseconds;
    } now{};
    raw_syscall(__NR_clock_gettime, /*CLOCK_MONOTONIC*/ 1, as_argument(&now));
    number = static_cast<uint64_t>(now.seconds) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(now.nanoseconds);
  }
  for (size_t each = 0; each < kRandom; ++each, number /= kLetterCount) name[each] = kLetters[number % kLetterCount];
}

/// Tries names until `use`, which returns a result or a negative error number, has another error than that the name exists.
template <typename Use>
int with_new_name(char* pattern, int suffix, const Use& use) {
  const size_t length = length_of(pattern);
  if (suffix < 0 || length < kRandom + static_cast<size_t>(suffix)) return fail(EINVAL);
  char* name = pattern + length - static_cast<size_t>(suffix) - kRandom;
  for (size_t each = 0; each < kRandom; ++each) {
    if (name[each] != 'X') return fail(EINVAL);
  }
  for (int tries = 0; tries < kTries; ++tries) {
    fill_in(name);
    const long result = use(pattern);
    if (result >= 0) return static_cast<int>(result);
    if (result != -EEXIST) return fail(static_cast<int>(-result));
  }
  return fail(EEXIST);
}

long create_file(const char* path, int flags) {
  return raw_syscall(__NR_openat, AT_FDCWD, as_argument(path), (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL,
                     S_IRUSR | S_IWUSR);
}

long create_directory(const char* path) {
  return raw_syscall(__NR_mkdir, as_argument(path), S_IRUSR | S_IWUSR | S_IXUSR);
}

/// Succeeds when there is no such file.
long is_free(const char* path) {
  struct stat status;
  const long result = raw_syscall(__NR_newfstatat, AT_FDCWD, as_argument(path), as_argument(&status),
                                  AT_SYMLINK_NOFOLLOW);
  return result == -ENOENT ? 0 : result == 0 ? -EEXIST : result;
}

bool is_directory(const char* path) {
  struct stat status;
  const long result = raw_syscall(__NR_newfstatat, AT_FDCWD, as_argument(path), as_argument(&status), 0);
  return result == 0 && S_ISDIR(status.st_mode) && length_of(path) <= kMostDirectory;
}

/// Where temporary files go: $TMPDIR, `wanted`, /tmp, the first that is a directory.
const char* temporary_directory(const char* wanted) {
  const char* of_user = secure_getenv("TMPDIR");
  if (of_user && is_directory(of_user)) return of_user;
  if (wanted && is_directory(wanted)) return wanted;
  return is_directory(kDirectory) ? kDirectory : nullptr;
}

char* append(char* end, const char* text, size_t most) {
  for (size_t each = 0; each < most && text[each] != 0; ++each) *end++ = text[each];
  *end = 0;
  return end;
}

/// directory/prefixXXXXXX; returns the bytes.
size_t make_pattern(char* pattern, const char* directory, const char* prefix) {
  constexpr size_t kMostPrefix = 5;
  size_t length = length_of(directory);
  while (length > 1 && directory[length - 1] == '/') --length;
  char* end = append(pattern, directory, length);
  end = append(end, "/", 1);
  end = append(end, prefix, kMostPrefix);
  return static_cast<size_t>(append(end, "XXXXXX", kRandom) - pattern) + 1;
}

char* free_name(char* pattern) {
  return with_new_name(pattern, 0, is_free) < 0 ? nullptr : pattern;
}

}  // namespace
}  // namespace culprit::runtime

using namespace culprit::runtime;

CULPRIT_OVERRIDE int mkostemps(char* pattern, int suffix, int flags) {
  return with_new_name(pattern, suffix, [flags](const char* path) { return create_file(path, flags); });
}
CULPRIT_OVERRIDE int mkostemp(char* pattern, int flags) {
  return with_new_name(pattern, 0, [flags](const char* path) { return create_file(path, flags); });
}
CULPRIT_OVERRIDE int mkstemps(char* pattern, int suffix) {
  return with_new_name(pattern, suffix, [](const char* path) { return create_file(path, 0); });
}
CULPRIT_OVERRIDE int mkstemp(char* pattern) {
  return with_new_name(pattern, 0, [](const char* path) { return create_file(path, 0); });
}
// Where files may be large: the same on this machine.
#define CULPRIT_SAME_AS(name) extern "C" __attribute__((weak, visibility("default"), alias(name)))
CULPRIT_SAME_AS("mkostemps") int mkostemps64(char* pattern, int suffix, int flags);
CULPRIT_SAME_AS("mkostemp") int mkostemp64(char* pattern, int flags);
CULPRIT_SAME_AS("mkstemps") int mkstemps64(char* pattern, int suffix);
CULPRIT_SAME_AS("mkstemp") int mkstemp64(char* pattern);

CULPRIT_OVERRIDE char* mkdtemp(char* pattern) {
  return with_new_name(pattern, 0, create_directory) < 0 ? nullptr : pattern;
}

CULPRIT_OVERRIDE char* mktemp(char* pattern) {
  if (!free_name(pattern)) pattern[0] = 0;
  return pattern;
}

CULPRIT_OVERRIDE char* tmpnam_r(char* buffer) {
  if (!buffer) return nullptr;
  make_pattern(buffer, kDirectory, "file");
  return free_name(buffer);
}
CULPRIT_OVERRIDE char* tmpnam(char* buffer) {
  static char own[kNameBytes];
  return tmpnam_r(buffer ? buffer : own);
}

CULPRIT_OVERRIDE char* tempnam(const char* wanted, const char* prefix) {
  const char* directory = temporary_directory(wanted);
  char pattern[kMostDirectory + 32];
  if (!directory) {
    fail(ENOENT);
    return nullptr;
  }
  const size_t bytes = make_pattern(pattern, directory, prefix ? prefix : "file");
  if (!free_name(pattern)) return nullptr;
  auto* name = static_cast<char*>(malloc(bytes));
  if (name) append(name, pattern, bytes);
  return name;
}

CULPRIT_OVERRIDE void* tmpfile() {
  const char* directory = temporary_directory(nullptr);
  char pattern[kMostDirectory + 32];
  if (!directory) {
    fail(ENOENT);
    return nullptr;
  }
  long file = raw_syscall(__NR_openat, AT_FDCWD, as_argument(directory), O_TMPFILE | O_RDWR | O_EXCL, S_IRUSR | S_IWUSR);
  if (file < 0) {
    make_pattern(pattern, directory, "tmpf");
    file = with_new_name(pattern, 0, [](const char* path) { return create_file(path, 0); });
    if (file < 0) return nullptr;
    raw_syscall(__NR_unlink, as_argument(pattern));
  }
  void* stream = fdopen(static_cast<int>(file), "w+");
  if (!stream) raw_syscall(__NR_close, file);
  return stream;
}
CULPRIT_SAME_AS("tmpfile") void* tmpfile64();
