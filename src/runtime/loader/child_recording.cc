#include "runtime/loader/child_recording.h"

#include "runtime/loader/files.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

constexpr uint32_t kOwner = 0700, kOwnersFile = 0600;

bool write_origin(int directory, uint64_t offset) {
  format::OriginRecord origin = {{}, format::kRecordingVersion, runtime.process, offset};
  __builtin_memcpy(origin.magic, format::kOriginMagic, sizeof origin.magic);
  const long fd = raw(__NR_openat, directory, word("origin"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnersFile);
  if (failed(fd)) return false;
  const bool written = raw(__NR_write, fd, word(&origin), sizeof origin) == sizeof origin;
  raw(__NR_close, fd);
  return written;
}

/// The new recording's directory, or an error.
long make_directory() {
  Line name;
  name << "children/" << static_cast<uint64_t>(runtime.process);
  // The launcher makes `children` where children are to be recorded.
  if (const long made = raw(__NR_mkdirat, runtime.directory, word(name.text()), kOwner)) return made;
  const long fd = raw(__NR_openat, runtime.directory, word(name.text()), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (failed(fd)) return fd;
  raw(__NR_mkdirat, fd, word("files"), kOwner);
  raw(__NR_mkdirat, fd, word("children"), kOwner);
  return fd;
}

}  // namespace

bool start_child_recording(uint64_t offset) {
  const long fd = make_directory();
  if (failed(fd)) return false;
  const int directory = move_high(static_cast<int>(fd));
  if (!write_origin(directory, offset) || !start_own_log(directory, offset)) {
    raw(__NR_close, directory);
    return false;
  }
  if (runtime.outer_directory < 0) {
    runtime.outer_directory = runtime.directory;
  } else {
    raw(__NR_close, runtime.directory);
  }
  runtime.directory = directory;
  return true;
}

void end_child_recording() {
  constexpr char kText[] = "executes another program, which this recording does not follow";
  const PartSource part = {0, kText, sizeof kText - 1, format::PartKind::kText};
  append_event({.bytes = 0,
                .kind = format::EventKind::kNote,
                .flags = 0,
                .number = __NR_execve,
                .thread = current_thread().index,
                .check = 0,
                .result = 0,
                .ticks = 0},
               &part, 1);
  runtime.mode = Mode::kPass;
  raw(__NR_close, runtime.directory);
  runtime.directory = runtime.outer_directory;
  runtime.outer_directory = -1;
}

bool in_child_recording() {
  return runtime.outer_directory >= 0;
}

void become_child(Call& call, uint64_t flags, uint64_t stack, int32_t process) {
  Thread& thread = current_thread();
  forget_other_threads(thread);
  thread.id = process;
  thread.pending_count = 0;
  thread.arrived = 0;
  auto* id = reinterpret_cast<int32_t*>(call.arguments[3]);
  if (flags & CLONE_CHILD_SETTID) *id = process;
  thread.clear_at_end = flags & CLONE_CHILD_CLEARTID ? word(id) : 0;
  if (stack != 0) call.context->rsp = stack;
  if (flags & CLONE_SETTLS) raw(__NR_arch_prctl, ARCH_SET_FS, call.arguments[4]);
}

}  // namespace culprit::loader
