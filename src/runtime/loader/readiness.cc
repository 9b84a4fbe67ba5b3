#include "runtime/loader/readiness.h"

#include <linux/fcntl.h>
#include <linux/limits.h>
#include <linux/poll.h>

#include "runtime/loader/chaos.h"

namespace culprit::loader {
namespace {

bool polls(uint64_t descriptor, short events) {
  pollfd poll = {static_cast<int>(descriptor), events, 0};
  return raw(__NR_poll, word(&poll), 1, 0) == 1;
}

bool never_waits(const struct stat& status) {
  constexpr uint32_t kType = 0170000, kFile = 0100000, kFolder = 0040000;  // S_IFMT, S_IFREG, S_IFDIR
  return (status.st_mode & kType) == kFile || (status.st_mode & kType) == kFolder;
}

bool is_file(uint64_t descriptor) {
  struct stat status;
  return !failed(raw(__NR_fstat, descriptor, word(&status))) && never_waits(status);
}

/// Waits only at what is there and is no file: a FIFO, a terminal.
bool opens_at_once(uint64_t folder, uint64_t path) {
  struct stat status;
  return failed(raw(__NR_newfstatat, folder, path, word(&status), 0)) || never_waits(status);
}

bool is_ready_in_chaos(const Call& call) {
  const uint64_t* arguments = call.arguments;
  switch (call.number) {
    case __NR_write:
      // A pipe that can be written to has room for as much.
      return is_file(arguments[0]) || (arguments[2] <= PIPE_BUF && polls(arguments[0], POLLOUT));
    case __NR_writev:
    case __NR_pwrite64:
    case __NR_pwritev:
      return is_file(arguments[0]);
    case __NR_open:
      return opens_at_once(static_cast<uint64_t>(AT_FDCWD), arguments[0]);
    case __NR_openat:
      return opens_at_once(arguments[0], arguments[1]);
    default:
      return false;
  }
}

}  // namespace

bool is_ready(const Call& call) {
  switch (call.number) {
    case __NR_read:
    case __NR_readv:
    case __NR_pread64:
    case __NR_preadv:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_accept:
    case __NR_accept4:
      return polls(call.arguments[0], POLLIN);
    default:
      return in_chaos() && is_ready_in_chaos(call);
  }
}

}  // namespace culprit::loader
