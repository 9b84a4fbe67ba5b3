// Processes and threads: fork, exec, exit, and what glibc registers per thread.

#include "runtime/loader/altered_world.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/child_recording.h"
#include "runtime/loader/execute.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/memory_hash.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/start_core.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/vfork_memory.h"

namespace culprit::loader {
namespace {

using format::EventKind;

constexpr uint64_t kRobustListBytes = 24;

/// The new child, in its own process.
long go_on_as_child(Call& call, uint64_t flags, uint64_t stack, uint64_t log_bytes) {
  const bool shares = flags & CLONE_VFORK;
  const bool was_recorded = runtime.mode == Mode::kRecord;
  if (was_recorded) runtime.watched = true;
  runtime.process = static_cast<int32_t>(raw(__NR_getpid));
  begin_child(shares);
  const bool recorded = was_recorded && !shares && start_child_recording(log_bytes);
  if (!recorded) runtime.mode = Mode::kPass;
  become_child(call, flags, stack, runtime.process);
  intercept_calls_again(runtime.interception);
  if (recorded) {
    settle(call, 0);
    append_event({.bytes = 0,
                  .kind = EventKind::kForked,
                  .flags = 0,
                  .number = 0,
                  .thread = current_thread().index,
                  .check = 0,
                  .result = runtime.process,
                  .ticks = 0});
  }
  return 0;
}

/// Replaying a child's own recording: this process goes on as the child.
long replay_as_child(Call& call, uint64_t flags, uint64_t stack) {
  const format::Event* event = next_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
  if (event->kind != EventKind::kForked) fail("the recording does not say which child goes on");
  become_child(call, flags, stack, static_cast<int32_t>(event->result));
  return 0;
}

/// A child of its own memory. A vfork child gets a copy, too (vfork_memory.h), and runs unrecorded; the parent still
/// waits until it execs or ends.
long fork_child(Call& call) {
  const bool clone = call.number == __NR_clone;
  uint64_t flags = clone ? call.arguments[0] : 17 /* SIGCHLD */;
  if (call.number == __NR_vfork) flags |= CLONE_VFORK;
  if (flags & CLONE_THREAD) return create_thread(call);
  if ((flags & CLONE_VM) && !(flags & CLONE_VFORK)) return settle(call, -ENOSYS);
  const uint64_t stack = clone ? call.arguments[1] : 0;
  long result = 0;
  const bool shares = flags & CLONE_VFORK;
  if (runtime.mode != Mode::kReplay) {
    const uint64_t log_bytes = runtime.mode == Mode::kRecord ? log_end() : 0;
    if (shares) prepare_vfork(*call.context);
    result = raw(__NR_clone, flags & ~(CLONE_VM | CLONE_SETTLS), 0, clone ? call.arguments[2] : 0,
                 clone ? call.arguments[3] : 0, 0);
    if (result == 0) return go_on_as_child(call, flags, stack, log_bytes);
  }
  result = shares ? settle_vfork(call, result) : settle(call, result);
  if (result > 0) count_process(current_thread(), call.context->rip);
  if (result == 0 && runtime.mode == Mode::kReplay && !runtime.altered) return replay_as_child(call, flags, stack);
  if ((flags & CLONE_PARENT_SETTID) && !failed(result)) {
    *reinterpret_cast<int32_t*>(call.arguments[2]) = static_cast<int32_t>(result);
  }
  return result;
}

[[noreturn]] void exit_program(Call& call) {
  const auto status = static_cast<int64_t>(call.arguments[0] & 0xff);
  Thread& thread = current_thread();
  stop_before_end(format::ReplayPoint::kExit, thread, call.context->rip);
  if (runtime.altered) end_altered(status, 0);
  const FinalMemory memory;
  if (runtime.mode == Mode::kReplay) {
    const format::Event* event = next_event();
    if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
    if (event->kind != EventKind::kExit || event->number != 0 || event->result != status) {
      diverge(
          {EventKind::kExit, thread.index, static_cast<uint32_t>(call.number), 0, call.arguments, call.context->rip},
          "ends by exit_group");
    }
    end_replay(format::ReplayState::kFinished, status, 0, memory.compare(*event));
  }
  append_event({.bytes = 0,
                .kind = EventKind::kExit,
                .flags = 0,
                .number = 0,
                .thread = thread.index,
                .check = memory.all(),
                .result = status,
                .ticks = 0},
               memory.parts(), FinalMemory::kParts);
  leave_vfork_memory();
  raw(__NR_exit_group, call.arguments[0]);
  __builtin_trap();
}

}  // namespace

long process_call(Call& call) {
  switch (call.number) {
    case __NR_rt_sigaction:
    case __NR_rt_sigprocmask:
    case __NR_sigaltstack:
    case __NR_rt_sigsuspend:
    case __NR_rt_sigreturn:
      return settle(call, signal_call(call));
    case __NR_fork:
    case __NR_vfork:
    case __NR_clone:
      leave_start_core();
      return fork_child(call);
    case __NR_execve:
      leave_start_core();
      return execute(call);
    case __NR_exit:
      if (runtime.threads_alive > 1) end_thread(current_thread(), call);
      exit_program(call);
    case __NR_exit_group:
      exit_program(call);
    case __NR_set_tid_address:
      current_thread().clear_at_end = call.arguments[0];
      return settle(call, current_thread().id);
    case __NR_set_robust_list:
      if (call.arguments[1] != kRobustListBytes) return settle(call, -EINVAL);
      current_thread().robust_list = call.arguments[0];
      return settle(call, 0);
    default:
      return settle(call, -ENOSYS);
  }
}

}  // namespace culprit::loader
