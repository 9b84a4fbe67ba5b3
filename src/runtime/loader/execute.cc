#include "runtime/loader/execute.h"

#include "runtime/loader/call_sites.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/child_recording.h"
#include "runtime/loader/files.h"
#include "runtime/loader/image.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"
#include "runtime/loader/trapped_instructions.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr int kDeepestScript = 5;
constexpr uint64_t kLineBytes = 256;  // BINPRM_BUF_SIZE
constexpr uint32_t kRememberedOutputs = 64;
constexpr uint64_t kMostArguments = 1u << 18;

/// The program that an execve starts, with the words that `#!` lines put before its arguments.
struct Target {
  char paths[kDeepestScript][kLineBytes];  ///< `#!` lines, cut into words
  const char* program;
  const char* before[2 * kDeepestScript + 1];
  int before_count = 0;
};

/// Reads up to kLineBytes - 1 bytes of a file that could be executed. An error as the kernel would give, or the count.
long read_start(const char* path, char* to) {
  if (const long result = raw(__NR_faccessat2, AT_FDCWD, word(path), 1 /* X_OK */, 0x200 /* AT_EACCESS */))
    return result;
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC, 0);
  if (failed(fd)) return fd;
  struct stat status;
  long result = raw(__NR_fstat, fd, word(&status));
  if (result == 0)
    result = (status.st_mode & 0170000) == 0100000 ? raw(__NR_read, fd, word(to), kLineBytes - 1) : -EACCES;
  raw(__NR_close, fd);
  return result;
}

bool is_space(char character) {
  return character == ' ' || character == '\t';
}

/// Cuts "#! interpreter argument" in place. False when there is no interpreter.
bool cut_line(char* line, long bytes, const char** interpreter, const char** argument) {
  long end = 2;
  while (end < bytes && line[end] != '\n') ++end;
  while (end > 2 && is_space(line[end - 1])) --end;
  line[end] = 0;
  long at = 2;
  while (is_space(line[at])) ++at;
  *interpreter = line + at;
  *argument = nullptr;
  while (line[at] && !is_space(line[at])) ++at;
  if (line[at]) {
    line[at++] = 0;
    while (is_space(line[at])) ++at;
    *argument = line + at;
  }
  return **interpreter != 0;
}

/// Follows `#!` lines from `path`. 0, or an error as execve gives it.
long find_target(const char* path, Target& target) {
  target.program = path;
  target.before_count = 0;
  // The words are gathered from the last interpreter backwards: [interpreter argument] script.
  const char* reversed[2 * kDeepestScript + 1];
  int count = 0;
  for (int depth = 0;; ++depth) {
    if (depth == kDeepestScript) return -ELOOP;
    char* line = target.paths[depth];
    const long bytes = read_start(target.program, line);
    if (failed(bytes)) return bytes;
    if (bytes >= 4 && line[0] == 0x7f && line[1] == 'E' && line[2] == 'L' && line[3] == 'F') break;
    if (bytes < 3 || line[0] != '#' || line[1] != '!') return -ENOEXEC;
    const char *interpreter, *argument;
    if (!cut_line(line, bytes, &interpreter, &argument)) return -ENOEXEC;
    reversed[count++] = target.program;
    if (argument != nullptr) reversed[count++] = argument;
    target.program = interpreter;
  }
  if (count > 0) target.before[target.before_count++] = target.program;
  while (count > 0) target.before[target.before_count++] = reversed[--count];
  return 0;
}

const char* outputs_text(char* to) {
  for (uint32_t fd = 0; fd < kRememberedOutputs; ++fd) {
    const bool only_here = runtime.shows[fd] & kOnlyHere;
    to[fd] = static_cast<char>('0' + (only_here ? 0 : runtime.shows[fd]));
  }
  to[kRememberedOutputs] = 0;
  return to;
}

/// Starts the target in a fresh culprit-ld, whose words before the program's argv are `first`. Returns when it fails.
long start_again(Call& call, const Target& target, const char* const* first, uint64_t first_count) {
  auto** given = reinterpret_cast<const char**>(call.arguments[1]);
  uint64_t count = 0;
  while (given != nullptr && given[count]) ++count;
  if (count > kMostArguments) return -E2BIG;

  const uint64_t bytes = (first_count + count + 2 * kDeepestScript + 4) * sizeof(char*);
  const long mapped = raw(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~uint64_t{0}, 0);
  if (failed(mapped)) return mapped;
  auto** words = reinterpret_cast<const char**>(mapped);
  uint64_t at = 0;
  for (uint64_t each = 0; each < first_count; ++each) words[at++] = first[each];
  for (int each = 0; each < target.before_count; ++each) words[at++] = target.before[each];
  // A script's own argv[0] gives way to the words of its line.
  for (uint64_t each = target.before_count > 0 ? 1 : 0; each < count; ++each) words[at++] = given[each];
  if (target.before_count == 0 && count == 0) words[at++] = "";
  words[at] = nullptr;

  trap_instructions(false);  // the time stamp's trap would survive exec
  const long result = raw(__NR_execve, word("/proc/self/exe"), mapped, call.arguments[2]);
  trap_instructions(true);
  raw(__NR_munmap, mapped, bytes);
  return result;
}

/// What the new image has to do about interception: a filter stays in force.
const char* interception_word() {
  return runtime.interception == Interception::kTrap ? "trapped" : "dispatch";
}

long start_recorded(Call& call) {
  static Target target;
  if (const long result = find_target(reinterpret_cast<const char*>(call.arguments[0]), target)) return result;
  Line descriptor, check, copies, thread, ticks;
  char chaos[64];
  char outputs[kRememberedOutputs + 1];
  descriptor << runtime.directory;
  check << static_cast<uint64_t>(check_of(call, 0));
  copies << static_cast<uint64_t>(copies_made());
  thread << static_cast<uint64_t>(current_thread().index);
  ticks << ticks_of(current_thread());
  chaos_words(chaos, sizeof chaos);
  const char* first[kContinueWords] = {
      "culprit-ld", "continue",    interception_word(),   descriptor.text(), target.program,
      check.text(), copies.text(), outputs_text(outputs), thread.text(),     ticks.text(),
      chaos};
  raw(__NR_fcntl, runtime.directory, F_SETFD, 0);
  const long result = start_again(call, target, first, kContinueWords);
  raw(__NR_fcntl, runtime.directory, F_SETFD, 1 /* FD_CLOEXEC */);
  return result;
}

/// Whether a child's program can run under this runtime: it must be one for this processor, and gain no rights by exec.
bool can_be_watched(const Target& target) {
  constexpr uint32_t kSetIds = 06000;
  struct stat status;
  if (raw(__NR_stat, word(target.program), word(&status)) != 0 || (status.st_mode & kSetIds)) return false;
  struct {
    unsigned char identity[16];
    uint16_t type, machine;
  } header;
  const long fd = raw(__NR_openat, AT_FDCWD, word(target.program), O_RDONLY | O_CLOEXEC, 0);
  if (failed(fd)) return false;
  const long got = raw(__NR_read, fd, word(&header), sizeof header);
  raw(__NR_close, fd);
  return got == sizeof header && header.identity[4] == ELFCLASS64 && header.machine == EM_X86_64;
}

/// The absolute path of a file, without links. False where /proc does not tell.
bool real_path(const char* path, char* to, uint64_t room) {
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_PATH | O_CLOEXEC, 0);
  if (failed(fd)) return false;
  Line link;
  link << "/proc/self/fd/" << static_cast<int64_t>(fd);
  const long bytes = raw(__NR_readlink, word(link.text()), word(to), room - 1);
  raw(__NR_close, fd);
  if (failed(bytes)) return false;
  to[bytes] = 0;
  return true;
}

/// A child's execve of a program that gets a recording of its own. Returns when it is not to have one, with -ENOENT, or
/// when the execve fails.
long start_executed(Call& call, const Target& target) {
  static ExecutedRecording own;
  static char program[4096];
  const auto* const* given = reinterpret_cast<const char* const*>(call.arguments[1]);
  if (!real_path(target.program, program, sizeof program)) return -ENOENT;
  if (!ask_for_recording(program, given, own)) return -ENOENT;
  const int directory = launchers_directory();
  Line descriptor;
  char outputs[kRememberedOutputs + 1], chaos[64];
  descriptor << directory;
  chaos_words(chaos, sizeof chaos);
  const char* first[kExecutedWords] = {
      "culprit-ld",          "executed",    interception_word(), own.executable, descriptor.text(),
      outputs_text(outputs), own.directory, chaos,               program};
  raw(__NR_fcntl, directory, F_SETFD, 0);
  const long result = start_again(call, target, first, kExecutedWords);
  raw(__NR_fcntl, directory, F_SETFD, 1 /* FD_CLOEXEC */);
  return result;
}

/// A child's execve, with what it writes to the program's output still logged.
long start_watched(Call& call, const Target& target) {
  const int directory = launchers_directory();
  Line descriptor;
  char outputs[kRememberedOutputs + 1];
  descriptor << directory;
  const char* first[kWatchWords] = {"culprit-ld",   "watch",           interception_word(),
                                    target.program, descriptor.text(), outputs_text(outputs)};
  raw(__NR_fcntl, directory, F_SETFD, 0);
  const long result = start_again(call, target, first, kWatchWords);
  raw(__NR_fcntl, directory, F_SETFD, 1 /* FD_CLOEXEC */);
  return result;
}

/// 0, or the error that execve would end with as far as the file tells.
long why_not_executed(const Call& call) {
  static Target target;
  return find_target(reinterpret_cast<const char*>(call.arguments[0]), target);
}

/// A child's execve. Natively when it need not be watched, except under a filter: nobody would answer its traps.
long start_unrecorded(Call& call) {
  if (runtime.watched) {
    static Target target;
    if (const long result = find_target(reinterpret_cast<const char*>(call.arguments[0]), target)) return result;
    if (can_be_watched(target)) {
      start_executed(call, target);
      return start_watched(call, target);
    }
  }
  if (runtime.interception == Interception::kTrap) {
    static Target target;
    if (const long result = find_target(reinterpret_cast<const char*>(call.arguments[0]), target)) return result;
    const char* first[kPassWords] = {"culprit-ld", "pass", interception_word(), target.program};
    return start_again(call, target, first, kPassWords);
  }
  trap_instructions(false);
  const long result = raw(__NR_execve, call.arguments[0], call.arguments[1], call.arguments[2]);
  trap_instructions(true);
  return result;
}

/// The context as a fresh program finds it.
void reset_context(Context& context, const format::StartRegisters& start) {
  const uint64_t first = offsetof(Context, r8), last = offsetof(Context, cs);
  __builtin_memset(reinterpret_cast<char*>(&context) + first, 0, last - first);
  context.rip = start.entry;
  context.rsp = start.stack;
  context.rflags = 0x202;
  complete_context(context);
  reset_floating_point(context.fpstate);
  raw(__NR_arch_prctl, ARCH_SET_FS, 0);
}

long replay_execute(Call& call) {
  const long result = settle(call, 0);
  if (failed(result)) return result;
  for (size_t each = 0; each < runtime.space.size(); ++each) {
    raw(__NR_munmap, runtime.space.low(each), runtime.space.high(each) - runtime.space.low(each));
  }
  runtime.space.clear();
  forget_all_call_sites();
  end_other_threads(current_thread());
  current_thread().tick_state = 0;
  current_thread().alternate_stack = {0, kStackDisabled, 0, 0};
  const format::StartRegisters start = load_recorded_program();
  reset_actions(start.ignored);
  current_thread().blocked = start.blocked;
  reset_context(*call.context, start);
  call.context_replaced = true;
  return 0;
}

}  // namespace

long execute(Call& call) {
  switch (runtime.mode) {
    case Mode::kReplay:
      return replay_execute(call);
    case Mode::kRecord:
      if (!in_child_recording()) return settle(call, start_recorded(call));
      if (const long result = why_not_executed(call)) return settle(call, result);
      end_child_recording();
      return start_unrecorded(call);
    case Mode::kPass:
      break;
  }
  return start_unrecorded(call);
}

namespace {

void take_directory(const char* descriptor) {
  runtime.directory = static_cast<int>(number_of(descriptor));
  raw(__NR_fcntl, runtime.directory, F_SETFD, 1 /* FD_CLOEXEC */);
}

void take_outputs(const char* outputs) {
  remember_outputs();
  for (uint32_t fd = 0; fd < kRememberedOutputs && outputs[fd]; ++fd) {
    runtime.shows[fd] = static_cast<uint8_t>(outputs[fd] - '0');
  }
  for (uint32_t each = 0; each < 2; ++each) {
    if (runtime.shows[each + 1] == 0) runtime.outputs[each].known = false;  // redirected by now
  }
}

}  // namespace

void continue_watching(char** words) {
  take_directory(words[4]);
  take_outputs(words[5]);
  runtime.watched = reopen_log(runtime.directory);
}

void begin_executed(char** words) {
  take_directory(words[4]);
  runtime.outer_directory = runtime.directory;
  take_outputs(words[5]);
  for (uint32_t fd = 1; fd <= 2; ++fd) {
    const uint8_t own = fd == 1 ? format::kShowOnOutput : format::kShowOnError;
    if (runtime.shows[fd] == 0) runtime.shows[fd] = own | kOnlyHere;
  }
  start_chaos(words[7]);
  runtime.watched = reopen_log(runtime.outer_directory);
  begin_executed_recording(words[6]);
}

void continue_recording(char** words) {
  take_directory(words[3]);
  continue_copies(static_cast<uint32_t>(number_of(words[6])));
  take_outputs(words[7]);
  start_chaos(words[10]);
  open_log(runtime.directory);
  append_event({.bytes = 0,
                .kind = EventKind::kCall,
                .flags = 0,
                .number = __NR_execve,
                .thread = static_cast<uint32_t>(number_of(words[8])),
                .check = static_cast<uint32_t>(number_of(words[5])),
                .result = 0,
                .ticks = number_of(words[9])});
}

}  // namespace culprit::loader
