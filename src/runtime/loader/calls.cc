#include "runtime/loader/calls.h"

#include "format/crc32c.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/altered_files.h"
#include "runtime/loader/altered_world.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/buffers.h"
#include "runtime/loader/files.h"
#include "runtime/loader/futex.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/machine_stack.h"
#include "runtime/loader/points.h"
#include "runtime/loader/readiness.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/start_core.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

using format::CallClass;
using format::Event;
using format::EventKind;
using format::PartKind;

Extents extents;
constexpr uint32_t kInputParts = 1;
PartSource parts[Extents::kMost + kInputParts];

uint8_t shows(uint64_t fd) {
  return fd < kMostDescriptors ? runtime.shows[fd] & ~kOnlyHere : 0;
}

/// Whether what is written there is also the launcher's program's output.
bool shows_outside(uint64_t fd) {
  return fd < kMostDescriptors && runtime.shows[fd] != 0 && !(runtime.shows[fd] & kOnlyHere);
}

/// Whether the call's data goes to the first output or error.
uint8_t show_flags(const Call& call, long result) {
  if (result <= 0) return 0;
  return writes_data(call.number) ? shows(call.arguments[0]) : 0;
}

/// Data that goes from file to file without passing through memory could not be shown by a replay: answered with
/// EINVAL, upon which programs copy by read and write.
bool bypasses_memory_to_output(const Call& call) {
  switch (call.number) {
    case __NR_sendfile:
      return shows(call.arguments[0]) != 0;
    case __NR_tee:
      return shows(call.arguments[1]) != 0;
    case __NR_splice:
    case __NR_copy_file_range:
      return shows(call.arguments[2]) != 0;
    default:
      return false;
  }
}

/// Whether the call asks for the name of this process's executable, which is the program and not this runtime.
bool asks_own_name(const Call& call) {
  const bool at = call.number == __NR_readlinkat;
  if (!at && call.number != __NR_readlink) return false;
  Line own;
  own << "/proc/" << runtime.process << "/exe";
  const uint64_t path = call.arguments[at ? 1 : 0];
  if (!runtime.space.covers(path, path + own.size() + 1)) return false;
  const auto* text = reinterpret_cast<const char*>(path);
  return text_equal(text, "/proc/self/exe") || text_equal(text, own.text());
}

long answer_own_name(const Call& call) {
  const bool at = call.number == __NR_readlinkat;
  const uint64_t buffer = call.arguments[at ? 2 : 1], room = call.arguments[at ? 3 : 2];
  uint64_t bytes = text_bytes(runtime.program);
  if (bytes > room) bytes = room;
  if (bytes == 0) return -EINVAL;
  if (!runtime.space.covers(buffer, buffer + bytes)) return -EFAULT;
  __builtin_memcpy(reinterpret_cast<void*>(buffer), runtime.program, bytes);
  return static_cast<long>(bytes);
}

/// A call that waits while other threads run. Data arrives in scratch memory and is copied when the baton is held
/// again, so that no other thread sees it come.
long run_without_baton(Call& call, Thread& thread) {
  constexpr uint64_t kScratchBytes = 1 << 20;
  const bool fills_buffer = call.number == __NR_read || call.number == __NR_pread64 || call.number == __NR_recvfrom;
  const uint64_t buffer = call.arguments[1];
  uint64_t arguments[6];
  __builtin_memcpy(arguments, call.arguments, sizeof arguments);
  bool scratched = fills_buffer && call.arguments[2] != 0 && runtime.space.covers(buffer, buffer + call.arguments[2]);
  if (scratched && thread.scratch == 0) {
    const long mapped =
        raw(__NR_mmap, 0, kScratchBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~uint64_t{0}, 0);
    if (!failed(mapped)) thread.scratch = static_cast<uint64_t>(mapped);
  }
  scratched = scratched && thread.scratch != 0;
  if (scratched) {
    arguments[1] = thread.scratch;
    if (arguments[2] > kScratchBytes) arguments[2] = kScratchBytes;
  }
  release_baton();
  const long result = interruptible(static_cast<long>(call.number), arguments, &thread.arrived);
  acquire_baton(thread);
  if (scratched && result > 0) {
    __builtin_memcpy(reinterpret_cast<void*>(buffer), reinterpret_cast<const void*>(thread.scratch),
                     static_cast<uint64_t>(result) < arguments[2] ? static_cast<uint64_t>(result) : arguments[2]);
  }
  return result;
}

long run(Call& call) {
  if (call.number == __NR_sched_getaffinity || call.number == __NR_sched_setaffinity) leave_start_core();
  if (bypasses_memory_to_output(call)) return -EINVAL;
  if (asks_own_name(call)) return answer_own_name(call);
  if (call.number == __NR_futex && futex_is_own(call)) return futex_call(call);
  if (call.number == __NR_sched_yield) {
    yield_baton(current_thread());
    return 0;
  }
  long result;
  if (call.description->flags & format::kMayBlock) {
    Thread& thread = current_thread();
    const uint64_t* mask = mask_during(call);
    const bool others_run = runtime.threads_alive > 1 && !is_ready(call);
    result = others_run ? run_without_baton(call, thread)
                        : interruptible(static_cast<long>(call.number), call.arguments, &thread.arrived);
    if (mask != nullptr) wait_under_mask(thread, *mask);
  } else {
    result = raw(static_cast<long>(call.number), call.arguments[0], call.arguments[1], call.arguments[2],
                 call.arguments[3], call.arguments[4], call.arguments[5]);
  }
  return result;
}

/// Calls on descriptors that must not reach the runtime's own.
long run_guarded(Call& call) {
  const uint64_t* arguments = call.arguments;
  switch (call.number) {
    case __NR_close:
      if (is_own_descriptor(arguments[0])) return -EBADF;
      break;
    case __NR_dup2:
    case __NR_dup3:
      if (is_own_descriptor(arguments[0]) || is_own_descriptor(arguments[1])) return -EBADF;
      break;
    case __NR_close_range: {
      const auto own = static_cast<uint64_t>(runtime.directory);
      if (runtime.directory < 0 || arguments[0] > own || arguments[1] < own) break;
      long result = 0;
      if (arguments[0] < own) result = raw(__NR_close_range, arguments[0], own - 1, arguments[2]);
      if (result == 0 && arguments[1] > own) result = raw(__NR_close_range, own + 1, arguments[1], arguments[2]);
      return result;
    }
    case __NR_arch_prctl:
      // GS belongs to the runtime; processor id faulting would reach it as a fault.
      if (arguments[0] == ARCH_SET_GS || arguments[0] == ARCH_GET_GS || arguments[0] == ARCH_SET_CPUID) return -EINVAL;
      return raw(__NR_arch_prctl, arguments[0], arguments[1]);
    default:
      break;
  }
  return raw(static_cast<long>(call.number), arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
}

void note_refused(const Call& call) {
  if (runtime.mode != Mode::kRecord || call.number == __NR_rseq || call.number == __NR_clone3) return;
  Line line;
  line << "refused the system call " << call.description->name << " (" << call.number << ")";
  const PartSource text = {0, line.text(), static_cast<uint32_t>(line.size()), PartKind::kText};
  append_event({.bytes = 0,
                .kind = EventKind::kNote,
                .flags = 0,
                .number = static_cast<uint16_t>(call.number),
                .thread = current_thread().index,
                .check = 0,
                .result = 0,
                .ticks = ticks_of(current_thread())},
               &text, 1);
}

void show(uint8_t flags) {
  const int fd = flags & format::kShowOnError ? 2 : 1;
  for (uint32_t each = 0; each < extents.count; ++each) {
    uint64_t at = extents.list[each].address, bytes = extents.list[each].bytes;
    if (session_control() != nullptr) {
      keep_output(at, bytes);
      continue;
    }
    while (bytes > 0) {
      const long put = raw(__NR_write, fd, at, bytes);
      if (put == -EINTR || put == -EAGAIN) continue;
      if (put <= 0) return;  // nobody reads what the replay shows; the replay itself goes on
      at += static_cast<uint64_t>(put);
      bytes -= static_cast<uint64_t>(put);
    }
  }
}

/// The next event, which must be this call.
const Event& expect(const Call& call) {
  Thread& thread = current_thread();
  const Event* event = peek_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
  if (event->kind == EventKind::kExit && (event->flags & format::kDeadlock) && event->thread == thread.index) {
    next_event();
    end_replay(format::ReplayState::kFinished, 0, event->number);
  }
  const bool same = event->kind == EventKind::kCall && event->thread == thread.index && event->number == call.number;
  next_event();
  if (!same) {
    diverge({EventKind::kCall, thread.index, static_cast<uint32_t>(call.number), 0, call.arguments, call.context->rip},
            "makes another call");
  }
  return *event;
}

void compare_check(const Call& call, const Event& event) {
  if (const uint64_t ticks = ticks_of(current_thread()); ticks != event.ticks) {
    diverge({EventKind::kCall, current_thread().index, static_cast<uint32_t>(call.number), 0, call.arguments,
             call.context->rip},
            "makes the call at another tick");
  }
  const uint32_t check = check_of(call, event.result);
  if (check == event.check) return;
  diverge({EventKind::kCall, current_thread().index, static_cast<uint32_t>(call.number), check, call.arguments,
           call.context->rip},
          "makes the call with other arguments or data");
}

long replay(Call& call) {
  const Event& event = expect(call);
  compare_check(call, event);
  feed_back(call, event);
  if (event.flags & (format::kShowOnOutput | format::kShowOnError)) {
    extents.clear();
    read_extents(*call.description, call.arguments, event.result, extents);
    show(event.flags);
  }
  if (const uint64_t* mask = mask_during(call)) wait_under_mask(current_thread(), *mask);
  follow_files(call, event.result);
  return event.result;
}

/// What tells of an input where it came from: the path that was opened, or the descriptor that was read or moved.
/// Returns how many parts it added.
uint32_t add_input_part(const Call& call, long result, PartSource& part) {
  if (failed(result)) return 0;
  switch (call.number) {
    case __NR_open:
    case __NR_openat:
    case __NR_openat2: {
      const auto* path = reinterpret_cast<const char*>(call.arguments[call.number == __NR_open ? 0 : 1]);
      part = {0, path, static_cast<uint32_t>(text_bytes(path)), PartKind::kText};
      return 1;
    }
    case __NR_read:
    case __NR_readv:
    case __NR_pread64:
    case __NR_preadv:
    case __NR_lseek:
    case __NR_recvfrom:
    case __NR_recvmsg:
      part = {call.arguments[0], nullptr, 0, PartKind::kDescriptor};
      return 1;
    default:
      return 0;
  }
}

void log_call(const Call& call, const Before& before, long result) {
  const uint32_t check = check_of(call, result);
  extents.clear();
  written_extents(*call.description, call.arguments, before, result, extents);
  if (extents.truncated) fail("a call wrote to more places than the runtime can log");
  for (uint32_t each = 0; each < extents.count; ++each) {
    const uint64_t address = extents.list[each].address;
    parts[each] = {address_for_log(call, address), reinterpret_cast<const void*>(address),
                   static_cast<uint32_t>(extents.list[each].bytes), PartKind::kMemory};
  }
  const uint32_t count = extents.count + add_input_part(call, result, parts[extents.count]);
  append_event({.bytes = 0,
                .kind = EventKind::kCall,
                .flags = show_flags(call, result),
                .number = static_cast<uint16_t>(call.number),
                .thread = current_thread().index,
                .check = check,
                .result = result,
                .ticks = ticks_of(current_thread())},
               parts, count);
}

void log_child_output(const Call& call, long result) {
  const uint8_t flags = show_flags(call, result);
  if (flags == 0 || !shows_outside(call.arguments[0])) return;
  extents.clear();
  read_extents(*call.description, call.arguments, result, extents);
  for (uint32_t each = 0; each < extents.count; ++each) {
    parts[each] = {0, reinterpret_cast<const void*>(extents.list[each].address),
                   static_cast<uint32_t>(extents.list[each].bytes), PartKind::kMemory};
  }
  append_child_output(flags, parts, extents.count);
}

long run_and_log(Call& call) {
  const Before before = words_before(*call.description, call.arguments);
  const long result = call.description->call_class == CallClass::kDescriptor ? run_guarded(call) : run(call);
  follow_descriptors(call.number, call.arguments, result);
  if (runtime.mode == Mode::kRecord) log_call(call, before, result);
  if (runtime.watched) log_child_output(call, result);
  return result;
}

}  // namespace

/// In an altered run.
static long answer_by_class(Call& call) {
  switch (call.number) {
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_sigaltstack:
    case __NR_rt_sigreturn:
    case __NR_set_robust_list:
    case __NR_set_tid_address:
      return process_call(call);
    case __NR_arch_prctl:
      return run_guarded(call);
    case __NR_clone:
      return call.arguments[0] & CLONE_THREAD ? create_thread(call) : answer_altered(call);
    default:
      if (call.description->call_class == CallClass::kRefused) return -ENOSYS;
      return call.description->call_class == CallClass::kMemory ? memory_call(call) : answer_altered(call);
  }
}

uint32_t check_of(const Call& call, long result) {
  uint32_t check = format::crc32c(0, &call.number, sizeof call.number);
  for (int each = 0; each < arguments_in_use(call); ++each) {
    const uint32_t argument = shared_part_of_argument(call, each);
    check = format::crc32c(check, &argument, sizeof argument);
  }
  if (result < 0) return check;
  static Extents read;
  read.clear();
  read_extents(*call.description, call.arguments, result, read);
  for (uint32_t each = 0; each < read.count; ++each) {
    check = format::crc32c(check, reinterpret_cast<const void*>(read.list[each].address), read.list[each].bytes);
  }
  return check;
}

void feed_back(const Call& call, const Event& event) {
  for (PartView part(event); part.valid(); part.next()) {
    if (part.kind() == PartKind::kMemory) {
      __builtin_memcpy(reinterpret_cast<void*>(address_from_log(call, part.address())), part.bytes(), part.size());
    }
  }
}

void show_data(const Call& call, long result, uint8_t output) {
  extents.clear();
  read_extents(*call.description, call.arguments, result, extents);
  show(output);
}

bool writes_data(uint64_t number) {
  switch (number) {
    case __NR_write:
    case __NR_pwrite64:
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
    case __NR_sendto:
    case __NR_sendmsg:
      return true;
    default:
      return false;
  }
}

void append_call(const Call& call, long result, const PartSource* parts, uint32_t count) {
  append_event({.bytes = 0,
                .kind = EventKind::kCall,
                .flags = 0,
                .number = static_cast<uint16_t>(call.number),
                .thread = current_thread().index,
                .check = runtime.mode == Mode::kRecord ? check_of(call, result) : 0,
                .result = result,
                .ticks = ticks_of(current_thread())},
               parts, count);
}

long settle(Call& call, long result) {
  if (runtime.altered) return result;
  if (runtime.mode == Mode::kReplay) {
    const Event& event = expect(call);
    compare_check(call, event);
    feed_back(call, event);
    return event.result;
  }
  append_call(call, result);
  return result;
}

long answer(Call& call) {
  tell_agent_of_call(call);
  if (runtime.altered) return answer_by_class(call);
  switch (call.description->call_class) {
    case CallClass::kRecorded:
      return runtime.mode == Mode::kReplay ? replay(call) : run_and_log(call);
    case CallClass::kDescriptor:
      if (runtime.mode != Mode::kReplay) return run_and_log(call);
      // The thread pointer is the processor's and not the log's.
      if (call.number == __NR_arch_prctl) run_guarded(call);
      return replay(call);
    case CallClass::kMemory:
      return memory_call(call);
    case CallClass::kEmulated:
      return process_call(call);
    case CallClass::kRefused:
      note_refused(call);
      return settle(call, -ENOSYS);
  }
  return -ENOSYS;
}

}  // namespace culprit::loader
