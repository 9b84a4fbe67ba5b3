#include "runtime/loader/child_recording.h"

#include "format/child_request.h"
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

int launchers_directory() {
  return runtime.outer_directory >= 0 ? runtime.outer_directory : runtime.directory;
}

namespace {

bool send_all(int to, const void* from, uint64_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    constexpr uint64_t kNoSignal = 0x4000;
    const long put = raw(__NR_sendto, to, word(at), bytes, kNoSignal, 0, 0);
    if (put == -EINTR) continue;
    if (put <= 0) return false;
    at += put;
    bytes -= static_cast<uint64_t>(put);
  }
  return true;
}

bool receive_all(int from, void* to, uint64_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const long got = raw(__NR_read, from, word(at), bytes);
    if (got == -EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<uint64_t>(got);
  }
  return true;
}

/// A connection to the launcher, or an error.
long connect_to_launcher() {
  constexpr int kUnix = 1, kStream = 1, kCloseOnExec = 02000000;
  struct {
    uint16_t family;
    char path[108];
  } name = {kUnix, {}};
  Line path;
  path << "/proc/self/fd/" << static_cast<int64_t>(launchers_directory()) << "/" << format::kChildRequests;
  __builtin_memcpy(name.path, path.text(), path.size());
  const long fd = raw(__NR_socket, kUnix, kStream | kCloseOnExec, 0);
  if (failed(fd)) return fd;
  const long connected = raw(__NR_connect, fd, word(&name), sizeof name);
  if (connected == 0) return fd;
  raw(__NR_close, fd);
  return connected;
}

char words[format::kMostChildWords];

bool exchange_words(int connection, uint32_t bytes) {
  format::ChildRequest request = {{}, runtime.process, bytes};
  __builtin_memcpy(request.magic, format::kChildRequestMagic, sizeof request.magic);
  if (!send_all(connection, &request, sizeof request) || !send_all(connection, words, bytes)) return false;
  format::ChildAnswer answer = {};
  if (!receive_all(connection, &answer, sizeof answer)) return false;
  if (answer.bytes == 0 || answer.bytes > sizeof words) return false;
  return receive_all(connection, words, answer.bytes) && words[answer.bytes - 1] == 0;
}

}  // namespace

bool ask_for_recording(const char* program, const char* const* arguments, ExecutedRecording& answer) {
  uint64_t bytes = 0;
  const auto add = [&bytes](const char* text) {
    const uint64_t length = text_bytes(text) + 1;
    if (bytes + length > sizeof words) return false;
    __builtin_memcpy(words + bytes, text, length);
    bytes += length;
    return true;
  };
  if (!add(program)) return false;
  for (; arguments != nullptr && *arguments != nullptr; ++arguments) {
    if (!add(*arguments)) return false;
  }
  const long connection = connect_to_launcher();
  if (failed(connection)) return false;
  const bool answered = exchange_words(static_cast<int>(connection), static_cast<uint32_t>(bytes));
  raw(__NR_close, connection);
  if (!answered) return false;
  const uint64_t directory_bytes = text_bytes(words) + 1;
  const char* executable = words + directory_bytes;
  const uint64_t executable_bytes = text_bytes(executable) + 1;
  if (directory_bytes > sizeof answer.directory || executable_bytes > sizeof answer.executable) return false;
  __builtin_memcpy(answer.directory, words, directory_bytes);
  __builtin_memcpy(answer.executable, executable, executable_bytes);
  return true;
}

void begin_executed_recording(const char* directory) {
  const long fd =
      raw(__NR_openat, runtime.outer_directory, word(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (failed(fd)) fail("cannot open the recording's directory", fd);
  runtime.directory = move_high(static_cast<int>(fd));
  if (!start_own_log(runtime.directory, 0)) fail("cannot make the recording of an executed program");
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
