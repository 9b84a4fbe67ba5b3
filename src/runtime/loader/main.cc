// culprit-ld: starts a program under recording or replay. It runs before ld.so, inside the program's own process.
//
//   culprit-ld record INTERCEPTION DIRECTORY CHAOS END PROGRAM NAME ARGV0 [ARGUMENT…]
//     events into DIRECTORY/ring; the program takes itself for the file NAME
//   culprit-ld continue …
//     after execve of a recorded program (execute.h)
//   culprit-ld watch …
//     after execve of a child of a recorded program (execute.h)
//   culprit-ld executed …
//     the same, and the new program is recorded by itself (execute.h)
//   culprit-ld pass INTERCEPTION PROGRAM ARGV0 [ARGUMENT…]
//     nothing is recorded
//   culprit-ld replay INTERCEPTION DIRECTORY STREAM REPORT [hooks=FD] [slots=FD] [agent=FD] [FILE=PATH…]
//     descriptors of event stream and report page, for hooks (format/tick_call.h), for a session
//     (format/replay_control.h), for a session that the program's agent drives (format/agent_link.h); the executable at
//     PATH takes the place of the recording's files/FILE
//
// CHAOS: SEED or SEED:LENGTH, perhaps with a "!" (chaos.h). END: THREAD:TICKS at which the recording ends, or -
// (ticks.h). INTERCEPTION: dispatch (traps where the kernel lacks it), trap (seccomp), trapped (a filter is in force
// already).

#include "format/tick_call.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/execute.h"
#include "runtime/loader/files.h"
#include "runtime/loader/image.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/points.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"
#include "runtime/loader/timestamps.h"
#include "runtime/loader/trapped_instructions.h"

namespace culprit::loader {

Runtime runtime;

void fail(const char* what, long result) {
  Line line;
  line << "culprit: " << what;
  if (result < 0) line << ": error " << static_cast<int64_t>(-result);
  line << "\n";
  raw(__NR_write, 2, word(line.text()), line.size());
  report_failure(what);
  raw(__NR_exit_group, 127);
  __builtin_trap();
}

namespace {

void open_directory(const char* path) {
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (failed(fd)) fail("cannot open the recording's directory", fd);
  runtime.directory = move_high(static_cast<int>(fd));
}

/// The absolute path of the executable, without links.
void remember_program(const char* path) {
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_PATH | O_CLOEXEC, 0);
  if (failed(fd)) fail(path, fd);
  Line link;
  link << "/proc/self/fd/" << static_cast<int64_t>(fd);
  const long bytes = raw(__NR_readlink, word(link.text()), word(runtime.program), sizeof runtime.program - 1);
  runtime.program[failed(bytes) ? 0 : bytes] = 0;
  raw(__NR_close, fd);
}

void take_hook_descriptor(int fd) {
  if (fd == format::kHookDescriptor) return;
  const long moved = raw(__NR_dup3, fd, format::kHookDescriptor, O_CLOEXEC);
  if (failed(moved)) fail("cannot keep the hooks' descriptor", moved);
  raw(__NR_close, fd);
}

int slots = -1;  ///< of a session

format::StartRegisters begin(char** words, uint64_t count, uint64_t* stack) {
  const auto need = [count](uint64_t least) {
    if (count <= least) fail("culprit-ld is started with too few words");
  };
  const char* role = words[1];
  if (text_equal(role, "replay")) {
    need(5);
    runtime.mode = Mode::kReplay;
    open_directory(words[3]);
    open_stream(static_cast<int>(number_of(words[4])), static_cast<int>(number_of(words[5])));
    for (uint64_t each = 6; each < count; ++each) {
      const char* path = words[each];
      constexpr char kHookOutput[] = "hooks=", kSlots[] = "slots=", kAgent[] = "agent=";
      if (__builtin_memcmp(path, kAgent, sizeof kAgent - 1) == 0) {
        offer_agent(static_cast<int>(number_of(path + sizeof kAgent - 1)));
        continue;
      }
      if (__builtin_memcmp(path, kSlots, sizeof kSlots - 1) == 0) {
        slots = static_cast<int>(number_of(path + sizeof kSlots - 1));
        continue;
      }
      if (__builtin_memcmp(path, kHookOutput, sizeof kHookOutput - 1) == 0) {
        take_hook_descriptor(static_cast<int>(number_of(path + sizeof kHookOutput - 1)));
        continue;
      }
      while (*path && *path != '=') ++path;
      if (*path == '=') replace_executable(static_cast<uint32_t>(number_of(words[each])), path + 1);
    }
    return load_recorded_program();
  }
  if (text_equal(role, "pass")) {
    runtime.mode = Mode::kPass;
    remember_program(words[3]);
    return load_program(words[3], words[3], stack, kPassWords);
  }
  if (text_equal(role, "watch")) {
    need(kWatchWords);
    runtime.mode = Mode::kPass;
    continue_watching(words);
    remember_program(words[3]);
    return load_program(words[3], words[3], stack, kWatchWords);
  }
  runtime.mode = Mode::kRecord;
  if (text_equal(role, "executed")) {
    need(kExecutedWords);
    begin_executed(words);
    remember_program(words[8]);
    return load_program(words[3], words[8], stack, kExecutedWords);
  }
  if (text_equal(role, "continue")) {
    need(kContinueWords);
    continue_recording(words);
    remember_program(words[4]);
    return load_program(words[4], words[4], stack, kContinueWords);
  }
  constexpr unsigned kRecordWords = 8;
  need(kRecordWords);
  open_directory(words[3]);
  open_log(runtime.directory);
  remember_outputs();
  start_chaos(words[4]);
  set_region_end(words[5]);
  remember_program(words[7]);
  return load_program(words[6], words[7], stack, kRecordWords);
}

}  // namespace
}  // namespace culprit::loader

extern "C" [[noreturn]] void culprit_loader_start(uint64_t* stack) {
  using namespace culprit;
  using namespace culprit::loader;
  const uint64_t count = stack[0];
  char** words = reinterpret_cast<char**>(stack + 1);
  if (count < kPassWords + 1) fail("culprit-ld is started by `culprit record` and `culprit replay`");
  runtime.process = static_cast<int32_t>(raw(__NR_getpid));
  runtime.directory = runtime.outer_directory = -1;
  learn_state_components();  // by cpuid, which may trap from begin() on
  learn_whether_timestamps_trap();

  // Where events go or come from, and the program's memory, before anything of it runs.
  const format::StartRegisters start = begin(words, count, stack);

  // From here on every call, fault and signal of the program enters the runtime.
  Thread& thread = make_first_thread();
  thread.id = runtime.process;
  adopt(thread);
  start_signals(thread, start.ignored, start.blocked);
  trap_instructions(true);
  runtime.interception =
      text_equal(words[2], "trapped")
          ? Interception::kTrap
          : intercept_calls(text_equal(words[2], "trap") ? Interception::kTrap : Interception::kDispatch);
  end_where_recording_ends();
  if (slots >= 0) open_slots(slots);
  enter_program(start.entry, start.stack);
}
