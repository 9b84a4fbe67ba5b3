// Temporary files by every function of the C library that makes up their names, and what they must refuse.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect(int right, const char* what) {
  if (right) return;
  printf("wrong: %s\n", what);
  exit(1);
}

/// The name is kept but for its six characters, which were random.
static void check_name(const char* name, const char* pattern) {
  expect(strlen(name) == strlen(pattern), name);
  const size_t at = (size_t)(strstr(pattern, "XXXXXX") - pattern);
  expect(strncmp(name, pattern, at) == 0 && strcmp(name + at + 6, pattern + at + 6) == 0, name);
  expect(strspn(name + at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") >= 6, name);
  expect(strncmp(name + at, "XXXXXX", 6) != 0, name);
  printf("%s\n", name);
}

static void check_file(int file, const char* name, const char* pattern, int flags) {
  struct stat status;
  expect(file >= 0, pattern);
  check_name(name, pattern);
  expect((fcntl(file, F_GETFL) & (O_ACCMODE | O_APPEND)) == (O_RDWR | flags), "flags");
  expect(fstat(file, &status) == 0 && (status.st_mode & 07777) == 0600, "mode");
  expect(write(file, "text", 4) == 4, "write");
  close(file);
  unlink(name);
}

int main(void) {
  umask(022);
  char folder[] = "/tmp/folder.XXXXXX";
  expect(mkdtemp(folder) == folder, "mkdtemp");
  check_name(folder, "/tmp/folder.XXXXXX");
  expect(chdir(folder) == 0, "chdir");

  char one[] = "one.XXXXXX", two[] = "two.XXXXXX.c", three[] = "three.XXXXXX", four[] = "four.XXXXXX.txt";
  int file = mkstemp(one);
  check_file(file, one, "one.XXXXXX", 0);
  file = mkstemps(two, 2);
  check_file(file, two, "two.XXXXXX.c", 0);
  file = mkostemp(three, O_APPEND | O_CLOEXEC);
  check_file(file, three, "three.XXXXXX", O_APPEND);
  file = mkostemps(four, 4, O_APPEND);
  check_file(file, four, "four.XXXXXX.txt", O_APPEND);

  char wrong[] = "wrong.XXXXX", short_one[] = "XXX", nowhere[] = "/nowhere/at/all/XXXXXX";
  errno = 0;
  expect(mkstemp(wrong) == -1 && errno == EINVAL && strcmp(wrong, "wrong.XXXXX") == 0, "five X");
  errno = 0;
  expect(mkdtemp(short_one) == NULL && errno == EINVAL, "short");
  errno = 0;
  expect(mkstemps(two, 2) == -1 && errno == EINVAL, "no X");
  errno = 0;
  expect(mkstemp(nowhere) == -1 && errno == ENOENT, "no folder");

  setenv("TMPDIR", folder, 1);
  char* name = tempnam("/nowhere", "prefix");
  expect(name && strncmp(name, folder, strlen(folder)) == 0 && strncmp(name + strlen(folder), "/prefi", 6) == 0, "tempnam");
  expect(access(name, F_OK) == -1 && errno == ENOENT, "tempnam exists");
  printf("%s\n", name);
  free(name);
  unsetenv("TMPDIR");
  name = tempnam(folder, NULL);
  expect(name && strncmp(name, folder, strlen(folder)) == 0, "tempnam without TMPDIR");
  printf("%s\n", name);
  free(name);
  char buffer[L_tmpnam];
  expect(tmpnam(buffer) == buffer && strncmp(buffer, P_tmpdir "/", 5) == 0 && strlen(buffer) < L_tmpnam, "tmpnam");
  printf("%s %d\n", buffer, strcmp(tmpnam(NULL), buffer) != 0);

  FILE* stream = tmpfile();
  expect(stream && fprintf(stream, "%s", "kept") == 4, "tmpfile");
  rewind(stream);
  expect(fgets(buffer, sizeof buffer, stream) && strcmp(buffer, "kept") == 0, "tmpfile kept");
  fclose(stream);
  expect(chdir("/") == 0 && rmdir(folder) == 0, "rmdir: left behind");
  puts("done");
  return 0;
}
