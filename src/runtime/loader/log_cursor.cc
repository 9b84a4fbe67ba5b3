#include "runtime/loader/log_cursor.h"

#include "runtime/loader/agent.h"
#include "runtime/loader/altered_world.h"
#include "runtime/loader/points.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/text.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::ReplayReport;
using format::ReplayState;

const unsigned char* stream;
uint64_t stream_bytes;
uint64_t position;
uint64_t consumed_events;
uint64_t last_offset;
ReplayReport* report;

void say(const char* text) {
  size_t each = 0;
  for (; text[each] && each + 1 < sizeof report->said; ++each) report->said[each] = text[each];
  report->said[each] = 0;
}

void show_child_output(const Event& event) {
  const int fd = event.flags & format::kShowOnError ? 2 : 1;
  for (PartView part(event); part.valid(); part.next()) {
    if (session_control() != nullptr) {
      keep_output(word(part.bytes()), part.size());
      continue;
    }
    for (uint64_t at = 0; at < part.size();) {
      const long put = raw(__NR_write, fd, word(part.bytes() + at), part.size() - at);
      if (put == -EINTR || put == -EAGAIN) continue;
      if (put <= 0) return;  // nobody reads it
      at += static_cast<uint64_t>(put);
    }
  }
}

[[noreturn]] void finish(ReplayState state) {
  report->events = consumed_events;
  report->stream_offset = last_offset;
  __atomic_store_n(&report->state, state, __ATOMIC_RELEASE);
  say_ended();
  raw(__NR_exit_group, 0);
  __builtin_trap();
}

/// As the recorded run, when a signal ended that.
void finish_if_killed() {
  const Event* event = peek_event();
  while (event != nullptr && event->kind != EventKind::kExit) {
    next_event();
    event = peek_event();
  }
  if (event != nullptr && event->number != 0) end_replay(ReplayState::kFinished, 0, event->number);
}

}  // namespace

void open_stream(int stream_fd, int report_fd) {
  struct stat status;
  const long known = raw(__NR_fstat, stream_fd, word(&status));
  if (failed(known)) fail("cannot read the recording's events", known);
  stream_bytes = static_cast<uint64_t>(status.st_size);
  if (stream_bytes > 0) {
    const long mapped = raw(__NR_mmap, kStreamAddress, stream_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, stream_fd, 0);
    if (failed(mapped)) fail("cannot map the recording's events", mapped);
  }
  stream = reinterpret_cast<const unsigned char*>(kStreamAddress);
  // A session maps its slot there later.
  const long shared =
      raw(__NR_mmap, kReportAddress, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, report_fd, 0);
  if (failed(shared)) fail("cannot map the report", shared);
  report = reinterpret_cast<ReplayReport*>(kReportAddress);
  raw(__NR_close, stream_fd);
  raw(__NR_close, report_fd);
}

LogPlace log_place() {
  return {position, consumed_events, last_offset};
}

void go_to_log_place(const LogPlace& place) {
  position = place.position;
  consumed_events = place.events;
  last_offset = place.last_offset;
}

const Event* peek_event() {
  while (position < stream_bytes) {
    const auto* event = reinterpret_cast<const Event*>(stream + position);
    if (event->kind == EventKind::kChildOutput) {
      show_child_output(*event);
    } else if (event->kind != EventKind::kFile && event->kind != EventKind::kNote) {
      return event;
    }
    position += event->bytes;
    ++consumed_events;
  }
  return nullptr;
}

const Event* next_event() {
  const Event* event = peek_event();
  if (event != nullptr) {
    last_offset = position;
    position += event->bytes;
    ++consumed_events;
  }
  return event;
}

void diverge(const Actual& actual, const char* what) {
  // Handlers of failures tell of the stack, and where code lies that is on it: another tale in another executable. What
  // failed was before.
  if (runtime.other_plan && current_thread().failure_handler != 0) {
    const LogPlace here = log_place();
    finish_if_killed();
    go_to_log_place(here);
  }
  report->actual_kind = actual.kind;
  report->actual_thread = actual.thread;
  report->actual_number = actual.number;
  report->actual_check = actual.check;
  report->actual_address = actual.address;
  for (int each = 0; each < 6; ++each) report->actual_arguments[each] = actual.arguments ? actual.arguments[each] : 0;
  say(what);
  finish(ReplayState::kDiverged);
}

void end_replay(ReplayState state, int64_t exit_status, int exit_signal, const MemoryComparison& memory) {
  report->exit_status = exit_status;
  report->exit_signal = exit_signal;
  report->memory_differs = memory.differs;
  report->differing_lines = memory.where.lines;
  report->first_differing = memory.where.first;
  report->differing_heap_lines = memory.heap.lines;
  report->first_differing_in_heap = memory.heap.first;
  if (state == ReplayState::kFinished) peek_event();  // what children wrote after the program's end
  finish(state);
}

void report_failure(const char* what) {
  if (report == nullptr || (runtime.altered && has_agent())) return;
  say(what);
  report->events = consumed_events;
  report->stream_offset = last_offset;
  __atomic_store_n(&report->state, ReplayState::kFailed, __ATOMIC_RELEASE);
}

}  // namespace culprit::loader
