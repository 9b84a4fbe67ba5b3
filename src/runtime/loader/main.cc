// culprit-ld: starts a program under recording or replay. It runs before ld.so, inside the program's own process.
//
//   culprit-ld record DIRECTORY PROGRAM ARGV0 [ARGUMENT…]     events into DIRECTORY/ring
//   culprit-ld continue …                                    after execve of a recorded program (execute.h)
//   culprit-ld replay DIRECTORY STREAM REPORT                 descriptors of the event stream and of the report page

#include "runtime/loader/execute.h"
#include "runtime/loader/files.h"
#include "runtime/loader/image.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
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

int number_of(const char* text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

void open_directory(const char* path) {
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (failed(fd)) fail("cannot open the recording's directory", fd);
  runtime.directory = move_high(static_cast<int>(fd));
}

/// Which descriptors are the same open file as the output and the error that the program was started with.
void remember_outputs() {
  runtime.shows[1] = format::kShowOnOutput;
  runtime.shows[2] = format::kShowOnError;
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

}  // namespace
}  // namespace culprit::loader

extern "C" [[noreturn]] void culprit_loader_start(uint64_t* stack) {
  using namespace culprit;
  using namespace culprit::loader;
  const uint64_t count = stack[0];
  char** arguments = reinterpret_cast<char**>(stack + 1);
  if (count < 5) fail("culprit-ld is started by `culprit record` and `culprit replay`");
  runtime.mode = text_equal(arguments[1], "replay") ? Mode::kReplay : Mode::kRecord;
  runtime.process = static_cast<int32_t>(raw(__NR_getpid));

  // Where events go or come from.
  const bool continues = text_equal(arguments[1], "continue");
  if (!continues) open_directory(arguments[2]);
  if (continues) {
    if (count <= kContinueWords) fail("culprit-ld is continued with too few words");
    continue_recording(arguments);
  } else if (runtime.mode == Mode::kReplay) {
    open_stream(number_of(arguments[3]), number_of(arguments[4]));
  } else {
    open_log(runtime.directory);
    remember_outputs();
  }

  // The program's memory, before anything of it runs.
  format::StartRegisters start;
  if (runtime.mode == Mode::kReplay) {
    start = load_recorded_program();
  } else {
    remember_program(arguments[3]);
    start = load_program(arguments[3], stack, continues ? kContinueWords : 4);
  }

  // From here on every call, fault and signal of the program enters the runtime.
  Thread& thread = make_first_thread();
  thread.id = runtime.process;
  adopt(thread);
  start_signals(thread);
  trap_instructions(true);
  runtime.interception = intercept_calls(Interception::kDispatch);
  enter_program(start.entry, start.stack);
}
