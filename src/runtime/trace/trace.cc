// The environment variable CULPRIT_TRACE names a folder. There the runtime finds a pipe, which takes full buffers, and
// makes one file a thread, mapped shared as its buffer: whatever ends the program, the reader finds the rest there. No
// descriptor stays open, and nothing is allocated from the program's heap. In a replay the folder is the descriptor
// that the launcher gave for hooks.
//
// Events of one thread are ordered by themselves. Between threads, a turn is written whenever a thread comes back from
// a call and another has come back from one since: code ordered by locks is then ordered in the trace, too.
#include "runtime/trace/trace.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "format/tick_call.h"
#include "format/trace_format.h"
#include "runtime/environment.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin_lock.h"
#include "runtime/thread_state.h"
#include "runtime/trace/files.h"
#include "runtime/trace/list_walk.h"
#include "runtime/trace/readable_strings.h"
#include "runtime/trace/start_texts.h"

extern "C" {
// Of executables with trace hooks only.
extern const uint32_t culprit_trace_site_count __attribute__((weak, visibility("hidden")));
extern const uint32_t culprit_trace_anchor_count __attribute__((weak, visibility("hidden")));
extern const uint64_t culprit_trace_anchors[] __attribute__((weak, visibility("hidden")));
extern const char __ehdr_start __attribute__((weak, visibility("hidden")));  // the linker's
extern void* const stdin __attribute__((weak));
extern void* const stdout __attribute__((weak));
extern void* const stderr __attribute__((weak));
extern const char _ZSt4cout __attribute__((weak));
extern const char _ZSt4cerr __attribute__((weak));
extern const char _ZSt4clog __attribute__((weak));
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* object);
extern void* __dso_handle __attribute__((visibility("hidden")));
}

/// How many more bytes of freed blocks are not given out again (heap_calls.cc).
extern "C" __attribute__((visibility("hidden"))) uint64_t culprit_trace_freed_room;
uint64_t culprit_trace_freed_room;

namespace culprit::runtime {
namespace {

using format::ThreadState;

constexpr char kVariable[] = "CULPRIT_TRACE=", kKeepsFreed[] = "CULPRIT_TRACE_KEEPS_FREED=";
constexpr long kNoSuchCall = -38;  // ENOSYS
constexpr uint64_t kMostActivations = 1 << 24;

bool wanted = false;
uint64_t turns = 0;
int last_thread = -1;
int lock = 0;

class Locked : SpinLock {
 public:
  Locked() : SpinLock(lock, [] { trace_call(SYS_sched_yield); }) {}
};

/// Memory that nobody reads.
char* scrap(size_t bytes) {
  const long at = trace_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (at < 0) __builtin_trap();
  return reinterpret_cast<char*>(at);
}

/// Maps the thread's file over `memory`; false when there is none.
bool map_buffer(uint32_t number, char* memory) {
  const long file = open_numbered_trace_file(format::kTraceBufferPrefix, number, O_RDWR | O_CREAT);
  if (file < 0) return false;
  long at = trace_call(SYS_ftruncate, file, format::kTraceBufferBytes);
  if (at == 0) {
    at = trace_call(SYS_mmap, as_argument(memory), format::kTraceBufferBytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, file);
  }
  trace_call(SYS_close, file);
  return at >= 0;
}

char* first_event(const ThreadState& thread) {
  return thread.trace_limit - format::kTraceChunkBytes;
}

/// Behind a thread's buffer lies another one, which nobody reads. That it is behind matters: code that still compares
/// with the first one's limit finds it full and asks for room, and does not write past its end.
constexpr uint32_t kNobody = ~uint32_t{0};  // its thread

char* start_of_buffer(char* memory, uint32_t thread) {
  format::TraceBuffer& buffer = *reinterpret_cast<format::TraceBuffer*>(memory);
  __builtin_memcpy(buffer.magic, format::kTraceBufferMagic, sizeof(buffer.magic));
  buffer.version = format::kTraceVersion;
  buffer.thread = thread;
  buffer.sequence = 0;
  return memory + sizeof(buffer);
}

/// Hands the buffer's events to whoever reads the pipe; false when nobody does.
bool send(const format::TraceBuffer& buffer, const char* events, uint32_t bytes) {
  format::TraceChunk chunk{};
  __builtin_memcpy(chunk.magic, format::kTraceChunkMagic, sizeof(chunk.magic));
  chunk.codec = format::kTracePlain;
  chunk.thread = buffer.thread;
  chunk.plain_bytes = chunk.stored_bytes = bytes;
  chunk.sequence = buffer.sequence;
  Locked locked;
  const long file = open_trace_file(format::kTracePipe, O_WRONLY | O_NONBLOCK);
  if (file < 0) return false;
  trace_call(SYS_fcntl, file, F_SETFL, O_WRONLY);
  const bool sent = write_all(file, &chunk, sizeof(chunk)) && write_all(file, events, bytes);
  trace_call(SYS_close, file);
  return sent;
}

template <typename Number>
char* append(char* at, Number number) {
  __builtin_memcpy(at, &number, sizeof(number));
  return at + sizeof(number);
}

char* append_turn(char* at) {
  *at++ = static_cast<char>(format::kTraceTurn);
  return append(at, __atomic_add_fetch(&turns, 1, __ATOMIC_SEQ_CST));
}

/// As pthread_self.
uint64_t handle_of_thread() {
  return reinterpret_cast<uint64_t>(__builtin_thread_pointer());
}

/// How many parts of the main thread's events are thrown away before its trace begins, in memory shared with who reads
/// it; null once it has begun.
const uint64_t* skipped = nullptr;
/// Behind all machine frames of the main thread.
const void* stack_end = nullptr;

/// What a library's pointer variable holds, if there is one.
uint64_t held_by(void* const* variable) {
  return variable ? reinterpret_cast<uint64_t>(*variable) : 0;
}

/// Whether only a later part of the run is wanted.
void map_skipped() {
  const long file = open_trace_file(format::kTraceSkip, O_RDONLY);
  if (file < 0) return;
  const long at = trace_call(SYS_mmap, 0, sizeof(*skipped), PROT_READ, MAP_SHARED, file);
  trace_call(SYS_close, file);
  if (at < 0) __builtin_trap();
  skipped = reinterpret_cast<const uint64_t*>(at);
}

void write_anchors(const StartTexts& texts) {
  if (&culprit_trace_anchor_count == nullptr) return;
  const long file = open_trace_file(format::kTraceAnchors, O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0) return;
  uint64_t addresses[format::kTraceAddresses] = {};
  addresses[format::kTraceImage] = reinterpret_cast<uint64_t>(&__ehdr_start);
  addresses[format::kTraceStdin] = held_by(&stdin);
  addresses[format::kTraceStdout] = held_by(&stdout);
  addresses[format::kTraceStderr] = held_by(&stderr);
  addresses[format::kTraceCout] = reinterpret_cast<uint64_t>(&_ZSt4cout);
  addresses[format::kTraceCerr] = reinterpret_cast<uint64_t>(&_ZSt4cerr);
  addresses[format::kTraceClog] = reinterpret_cast<uint64_t>(&_ZSt4clog);
  addresses[format::kTraceArguments] = texts.arguments;
  addresses[format::kTraceEnvironment] = texts.environment;
  addresses[format::kTraceTextsEnd] = texts.end;
  write_all(file, addresses, sizeof(addresses));
  write_all(file, culprit_trace_anchors, culprit_trace_anchor_count * sizeof(uint64_t));
  trace_call(SYS_close, file);
}

/// A child shares the buffer's file with its parent: it gets memory of its own there.
void forget_in_child() {
  const bool was_wanted = wanted;
  wanted = false;
  ThreadState& thread = culprit_thread;
  if (!was_wanted || !thread.trace_limit) return;
  char* start = first_event(thread) - sizeof(format::TraceBuffer);
  if (reinterpret_cast<format::TraceBuffer*>(start)->thread == kNobody) return;
  trace_call(SYS_mmap, as_argument(start), format::kTraceBufferBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
  thread.trace_position = first_event(thread);
}

void start(int count, char** arguments, char** environment) {
  stack_end = environment;
  const StartTexts texts = start_texts(count, arguments, environment);
  const char* value = take_variable(environment, kVariable);
  const bool keeps_freed = take_variable(environment, kKeepsFreed) != nullptr;
  if (&culprit_trace_site_count == nullptr) return;
  const long answer = raw_syscall(format::kHookCall, SYS_fcntl, format::kHookDescriptor, F_GETFD);
  if (answer != kNoSuchCall) {
    // A replay: the launcher's descriptor is the folder, if it wants a trace.
    use_folder_of_replay();
    wanted = answer >= 0;
    if (wanted) write_anchors(texts);
    if (wanted) map_skipped();
    return;
  }
  wanted = value && use_folder(value);
  if (!wanted) return;
  if (keeps_freed) culprit_trace_freed_room = format::kTraceKeptBytes;
  write_anchors(texts);
  map_skipped();
  __register_atfork(nullptr, nullptr, forget_in_child, __dso_handle);
}

}  // namespace

/// Before every constructor of the program.
__attribute__((section(".preinit_array"), used)) void (*const kStartTrace)(int, char**, char**) = start;

void trace_thread(ThreadState& thread) {
  if (&culprit_trace_site_count == nullptr) return;
  thread.trace_previous =
      reinterpret_cast<uint64_t*>(scrap(2 * (culprit_trace_site_count + size_t{1}) * sizeof(uint64_t)));
  char* memory = scrap(2 * size_t{format::kTraceBufferBytes});
  const bool mapped = wanted && map_buffer(thread.number, memory);
  start_of_buffer(memory + format::kTraceBufferBytes, kNobody);
  char* start = start_of_buffer(memory, mapped ? thread.number : kNobody);
  thread.trace_limit = start + format::kTraceChunkBytes;
  const bool skips = skipped && thread.number == 0;
  char* first = skips ? thread.trace_limit - format::kTraceSkipBytes : first_event(thread);
  thread.trace_position = append(append_turn(first), handle_of_thread());
  __atomic_store_n(&last_thread, static_cast<int>(thread.number), __ATOMIC_RELEASE);
}

TracePlace leave_trace(ThreadState& thread) {
  const TracePlace left{thread.trace_position, thread.trace_limit, thread.trace_previous};
  if (!thread.trace_limit) return left;
  auto& buffer = *reinterpret_cast<format::TraceBuffer*>(first_event(thread) - sizeof(format::TraceBuffer));
  if (buffer.thread == kNobody) return left;  // a fault in a handler
  thread.trace_limit += format::kTraceBufferBytes;
  thread.trace_position = first_event(thread);
  thread.trace_previous += culprit_trace_site_count + 1;
  return left;
}

void return_to_trace(ThreadState& thread, const TracePlace& left) {
  thread.trace_position = left.position;
  thread.trace_limit = left.limit;
  thread.trace_previous = left.previous;
}

namespace {

bool skips(const ThreadState& thread, const format::TraceBuffer& buffer) {
  return skipped && thread.number == 0 && buffer.thread != kNobody;
}

char* emptied(ThreadState& thread, char* position) {
  char* start = first_event(thread);
  auto& buffer = *reinterpret_cast<format::TraceBuffer*>(start - sizeof(format::TraceBuffer));
  if (skips(thread, buffer)) {
    ++buffer.sequence;
    return thread.trace_limit - format::kTraceSkipBytes;
  }
  const size_t bytes = static_cast<size_t>(position - start);
  if (wanted && buffer.thread != kNobody && !send(buffer, start, static_cast<uint32_t>(bytes))) wanted = false;
  __builtin_memset(start, 0, bytes);
  ++buffer.sequence;
  return start;
}

/// The next one outwards; null at the end, and where an activation was left by a way that no body saw. Those of bodies
/// that the optimiser has put into each other lie in one machine frame, in any order.
const format::TraceFrame* outwards(const format::TraceFrame& frame) {
  constexpr uint64_t kMostOfFrame = 1 << 16;
  const auto here = reinterpret_cast<uint64_t>(&frame), there = reinterpret_cast<uint64_t>(frame.caller);
  return there > here - kMostOfFrame && frame.caller < stack_end ? frame.caller : nullptr;
}

/// The thread as it stands: `frame` is of its innermost activation, which is at `place`. False when it cannot be
/// written.
bool write_start(const ThreadState& thread, uint32_t place, const format::TraceFrame& frame, uint64_t skipped_parts) {
  const long file = open_trace_file(format::kTraceStartFile, O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0) return false;
  format::TraceStart start{};
  __builtin_memcpy(start.magic, format::kTraceStartMagic, sizeof(start.magic));
  start.version = format::kTraceVersion;
  start.sites = culprit_trace_site_count;
  start.skipped = skipped_parts;
  start.numbered = thread.trace_activations;
  start.place = place;
  for (const format::TraceFrame* each = &frame; each && start.activations < kMostActivations; each = outwards(*each)) {
    ++start.activations;
  }
  bool written =
      write_all(file, &start, sizeof(start)) && write_all(file, thread.trace_previous, start.sites * sizeof(uint64_t));
  uint64_t told = 0;
  for (const format::TraceFrame* each = &frame; told < start.activations && written; each = outwards(*each), ++told) {
    const format::TraceBegun begun{
        .entry_block = each->entry_block, .call = each->call, .activation = each->activation, .bases = each->bases};
    written = write_all(file, &begun, sizeof(begun)) && write_all(file, each + 1, each->bases * sizeof(uint64_t));
  }
  trace_call(SYS_close, file);
  return written;
}

/// As emptied(), but at a place where the trace may begin.
char* emptied_at(ThreadState& thread, char* position, uint32_t place, const format::TraceFrame& frame) {
  char* start = first_event(thread);
  auto& buffer = *reinterpret_cast<format::TraceBuffer*>(start - sizeof(format::TraceBuffer));
  const bool begins = skips(thread, buffer) && place != ~uint32_t{0} &&
                      buffer.sequence + 1 >= __atomic_load_n(skipped, __ATOMIC_RELAXED);
  if (!begins) return emptied(thread, position);
  if (!write_start(thread, place, frame, buffer.sequence + 1)) wanted = false;
  skipped = nullptr;
  buffer.sequence = 0;
  __builtin_memset(start, 0, format::kTraceChunkBytes + format::kTraceSlackBytes);
  return append(append_turn(start), handle_of_thread());
}

/// Whether the byte at an address can be read. The kernel looks at the set of signals before it finds that the first
/// argument is wrong.
bool is_readable(uint64_t address) {
  constexpr long kNoSuchOperation = -1;
  constexpr long kBadAddress = -14;  // EFAULT
  constexpr uint64_t kSetBytes = 8;
  const auto inside = static_cast<long>(address & ~(kSetBytes - 1));
  return trace_call(SYS_rt_sigprocmask, kNoSuchOperation, inside, 0, kSetBytes) != kBadAddress;
}

}  // namespace

uint32_t string_length(uint64_t address, uint64_t limit, bool checked) {
  constexpr uint64_t kPageBytes = 4096;
  if (limit > format::kTraceLongestString) limit = format::kTraceLongestString;
  if (address == 0 || limit == 0 || (!checked && !is_readable(address))) return 0;
  const char* string = reinterpret_cast<const char*>(address);
  uint32_t length = 0;
  while (string[length] != '\0') {
    ++length;
    if (length == limit || ((address + length) % kPageBytes == 0 && !is_readable(address + length))) break;
  }
  return length;
}

namespace {

/// Of a string at an argument. What a failed call was given may lie anywhere.
uint32_t argument_length(const format::TraceCall& call, const uint64_t* arguments, uint32_t argument, bool checked) {
  const uint8_t limit = call.limits[argument];
  return string_length(arguments[argument], limit == format::kTraceNoArgument ? ~uint64_t{0} : arguments[limit],
                       checked);
}

char* room_for_return(ThreadState& thread) {
  char* at = thread.trace_position;
  if (at >= thread.trace_limit) at = emptied(thread, at);
  const int number = static_cast<int>(thread.number);
  if (__atomic_load_n(&last_thread, __ATOMIC_ACQUIRE) != number) {
    __atomic_store_n(&last_thread, number, __ATOMIC_RELEASE);
    at = append_turn(at);
  }
  return at;
}

/// What a call's arguments point at, as its constant asks; how many words that are.
uint32_t note_words(const format::TraceCall& call, const uint64_t* arguments, uint32_t after,
                    format::TraceWord* words) {
  uint32_t count = 0;
  for (uint32_t argument = 0; argument < format::kTraceNotedArguments && argument < call.count; ++argument) {
    const uint32_t noted = arguments[argument] == 0 ? 0 : format::noted_words(call.flags, argument);
    for (uint32_t each = 0; each < noted; ++each) {
      const uint64_t address = arguments[argument] + each * sizeof(uint64_t);
      words[count++] = {address, *reinterpret_cast<const uint64_t*>(address), format::kTraceNoString, after};
    }
  }
  return count;
}

void write_return(const format::TraceCall& call, uint64_t result, const uint64_t* arguments, uint32_t measured,
                  const format::TraceWord* words, uint32_t words_count) {
  ThreadState& thread = culprit_thread;
  if (!thread.trace_limit) return;
  char* at = room_for_return(thread);
  const uint32_t count = call.count;
  const bool succeeded = static_cast<int32_t>(result) != -1;
  format::TraceWord made{};
  if ((call.flags & format::kTraceMakesThread) != 0 && count > 0 && static_cast<int32_t>(result) == 0) {
    made = {.address = arguments[0],
            .word = *reinterpret_cast<const uint64_t*>(arguments[0]),
            .length = format::kTraceNoString,
            .after = 1};
    words = &made;
    words_count = 1;
  }
  // The first byte last: until it is there, the stream ends here.
  char* first = at++;
  at = append(at, call.operation);
  at = append(at, result);
  at = append(at, static_cast<uint8_t>(count | (words_count > 0 ? format::kTraceHasWords : 0)));
  at = append(at, call.strings);
  for (uint32_t each = 0; each < count; ++each) at = append(at, arguments[each]);
  for (uint32_t each = 0; each < count; ++each) {
    if ((call.strings >> each & 1) == 0) continue;
    at = append(at, each == call.changed ? measured : argument_length(call, arguments, each, succeeded));
  }
  format::TraceWord left[format::kTraceNotedArguments * format::kTraceNotedMask];
  const uint32_t left_count = words_count > 0 ? note_words(call, arguments, 1, left) : 0;
  if (words_count > 0) at = append(at, static_cast<uint8_t>(words_count + left_count));
  for (uint32_t each = 0; each < words_count; ++each) at = append(at, words[each]);
  for (uint32_t each = 0; each < left_count; ++each) at = append(at, left[each]);
  *first = static_cast<char>(format::kTraceReturned);
  thread.trace_position = at;
}

}  // namespace
}  // namespace culprit::runtime

extern "C" {

using culprit::format::ThreadState;

/// Called when the next event would go behind the limit; returns where it goes instead.
__attribute__((visibility("hidden"), preserve_most)) char* culprit_trace_full(char* position) {
  return culprit::runtime::emptied(culprit_thread, position);
}

/// The same of bodies in which a trace can begin: at `place` (format::TraceStart), if that is one; `frame` is complete.
__attribute__((visibility("hidden"), preserve_most)) char* culprit_trace_full_at(
    char* position, uint32_t place, const culprit::format::TraceFrame* frame) {
  return culprit::runtime::emptied_at(culprit_thread, position, place, *frame);
}

__attribute__((visibility("hidden"))) uint32_t culprit_trace_measure(const culprit::format::TraceCall* call,
                                                                     const uint64_t* arguments) {
  return culprit::runtime::argument_length(*call, arguments, call->changed, false);
}

/// Notes what a call's va_list holds, or what is asked of its arguments, before the call; how many words that are.
__attribute__((visibility("hidden"))) uint32_t culprit_trace_list(const culprit::format::TraceCall* call,
                                                                  const uint64_t* arguments,
                                                                  culprit::format::TraceWord* words) {
  if (!culprit_thread.trace_limit) return 0;
  if (call->list == culprit::format::kTraceNoArgument) {
    return culprit::runtime::note_words(*call, arguments, 0, words);
  }
  return culprit::runtime::ListWalk(*call, arguments, words).count();
}

/// `measured`: length of the string that the call changed, before it.
__attribute__((visibility("hidden"))) void culprit_trace_returned(const culprit::format::TraceCall* call,
                                                                  uint64_t result, const uint64_t* arguments,
                                                                  uint32_t measured) {
  culprit::runtime::write_return(*call, result, arguments, measured, nullptr, 0);
}

/// The same with what culprit_trace_list noted.
__attribute__((visibility("hidden"))) void culprit_trace_returned_list(const culprit::format::TraceCall* call,
                                                                       uint64_t result, const uint64_t* arguments,
                                                                       uint32_t measured,
                                                                       const culprit::format::TraceWord* words,
                                                                       uint32_t count) {
  culprit::runtime::write_return(*call, result, arguments, measured, words, count);
}

__attribute__((visibility("hidden"))) void culprit_trace_heap(const void* block, uint64_t bytes) {
  ThreadState& thread = culprit_thread;
  if (!thread.trace_limit || !block) return;
  char* const first = culprit::runtime::room_for_return(thread);
  char* at = culprit::runtime::append(first + 1, reinterpret_cast<uint64_t>(block));
  at = culprit::runtime::append(at, bytes);
  *first = static_cast<char>(culprit::format::kTraceHeap);
  thread.trace_position = at;
}

__attribute__((visibility("hidden"))) void culprit_trace_returned_twice(uint32_t activation, uint32_t operation,
                                                                        uint64_t result) {
  ThreadState& thread = culprit_thread;
  if (!thread.trace_limit) return;
  char* at = culprit::runtime::room_for_return(thread);
  *at++ = static_cast<char>(culprit::format::kTraceReturnedTwice);
  at = culprit::runtime::append(at, activation);
  at = culprit::runtime::append(at, operation);
  at = culprit::runtime::append(at, result);
  *at++ = 0;
  at = culprit::runtime::append(at, uint16_t{0});
  thread.trace_position = at;
}
}
