#include "runtime/loader/altered_world.h"

#include "format/replay_control.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/altered_files.h"
#include "runtime/loader/altered_threads.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/futex.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr int kLookAhead = 512;   // events
constexpr int64_t kGaveUp = 125;  // exit status
constexpr long kUnlimited = long{1} << 60;
constexpr int64_t kMicrosecond = 1000, kSecond = 1'000'000'000;
constexpr int64_t kStartOfTime = 1'700'000'000;

/// The call in the log that this one is, if it comes soon; events before it are passed over.
const Event* same_in_log(const Call& call) {
  const uint32_t thread = current_thread().index;
  const auto is_same = [&](const Event& event) {
    return event.kind == EventKind::kCall && event.thread == thread && event.number == call.number &&
           event.check == check_of(call, event.result);
  };
  return find_event(kLookAhead, is_same);
}

uint64_t bytes_of_vector(const Call& call) {
  struct Piece {
    uint64_t start, bytes;
  };
  const auto* pieces = reinterpret_cast<const Piece*>(call.arguments[1]);
  uint64_t bytes = 0;
  for (uint64_t each = 0; each < call.arguments[2]; ++each) bytes += pieces[each].bytes;
  return bytes;
}

int64_t passed;  // nanoseconds

long tell_time(const Call& call) {
  passed += kMicrosecond;
  const uint64_t to = call.number == __NR_clock_gettime ? call.arguments[1] : call.arguments[0];
  const int64_t seconds = kStartOfTime + passed / kSecond, rest = passed % kSecond;
  if (call.number == __NR_time) {
    if (to != 0 && runtime.space.covers(to, to + 8)) *reinterpret_cast<int64_t*>(to) = seconds;
    return seconds;
  }
  if (to == 0 || !runtime.space.covers(to, to + 16)) return -EFAULT;
  auto* words = reinterpret_cast<int64_t*>(to);
  words[0] = seconds;
  words[1] = call.number == __NR_gettimeofday ? rest / kMicrosecond : rest;
  return 0;
}

/// tgkill and its like, to the program itself. Others are not there.
long send_signal(const Call& call) {
  const auto target = static_cast<int32_t>(call.arguments[0]);
  if (target != 0 && !is_thread_id(target)) return -ESRCH;
  const uint64_t number = call.arguments[call.number == __NR_tgkill ? 2 : 1];
  if (number == 0 || number > static_cast<uint64_t>(kSignals)) return 0;
  const KernelSigaction& action = runtime.actions[number];
  if (action.handler == 1 || (current_thread().blocked & signal_bit(static_cast<int>(number)))) return 0;
  if (action.handler == 0) die_by_signal(static_cast<int>(number));
  Siginfo siginfo = {};
  siginfo.number = static_cast<int32_t>(number);
  siginfo.code = -6;  // SI_TKILL
  give_altered_signal(current_thread(), *call.context, siginfo);
  return 0;
}

/// Calls that wait for time, or ask that others go on.
bool gives_way(uint64_t number) {
  return number == __NR_sched_yield || number == __NR_nanosleep || number == __NR_clock_nanosleep;
}

long answer_by_itself(const Call& call) {
  switch (call.number) {
    case __NR_write:
    case __NR_pwrite64:
    case __NR_sendto:
      return static_cast<long>(call.arguments[2]);
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
      return static_cast<long>(bytes_of_vector(call));
    case __NR_read:
    case __NR_pread64:
    case __NR_readv:
    case __NR_close:
    case __NR_fsync:
    case __NR_fdatasync:
    case __NR_ftruncate:
    case __NR_unlink:
    case __NR_unlinkat:
    case __NR_rename:
    case __NR_renameat2:
    case __NR_mkdir:
    case __NR_chmod:
    case __NR_fchmod:
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_sched_yield:
      return 0;
    case __NR_openat2:
    case __NR_newfstatat:
    case __NR_faccessat:
      return -ENOENT;
    case __NR_getuid:
    case __NR_geteuid:
    case __NR_getgid:
    case __NR_getegid:
    case __NR_uname:
    case __NR_getrlimit:
    case __NR_getrandom:
      return raw(static_cast<long>(call.number), call.arguments[0], call.arguments[1], call.arguments[2]);
    case __NR_lseek:
      return -ESPIPE;
    case __NR_ioctl:
      return -ENOTTY;
    case __NR_clock_gettime:
    case __NR_gettimeofday:
    case __NR_time:
      return tell_time(call);
    case __NR_getpid:
    case __NR_gettid:
      return current_thread().id;
    case __NR_getppid:
      return 1;  // the real one may be another run
    case __NR_kill:
    case __NR_tkill:
    case __NR_tgkill:
      return send_signal(call);
    default:
      return -EPERM;
  }
}

/// Files are read on where they are; the log has what came from elsewhere, and the names of files that are gone.
long answer_wherefrom(const Call& call) {
  long result = 0;
  if (answer_from_open_file(call, result)) return result;
  const Event* event = writes_data(call.number) ? nullptr : same_in_log(call);
  if (event != nullptr) {
    feed_back(call, *event);
    return event->result;
  }
  return answer_about_names(call, result) ? result : answer_by_itself(call);
}

}  // namespace

void keep_output(uint64_t address, uint64_t bytes) {
  format::ReplayControl& control = *session_control();
  const uint64_t at = control.output_bytes;
  control.output_bytes += bytes;
  if (at >= format::kReplaySlotOutputBytes) return;
  const uint64_t room = format::kReplaySlotOutputBytes - at;
  __builtin_memcpy(reinterpret_cast<void*>(kReportAddress + format::kReplaySlotHeadBytes + at),
                   reinterpret_cast<const void*>(address), bytes < room ? bytes : room);
}

long answer_altered(Call& call) {
  if (call.number == __NR_exit && runtime.threads_alive > 1) end_thread(current_thread(), call);
  if (call.number == __NR_exit || call.number == __NR_exit_group) {
    end_altered(static_cast<int64_t>(call.arguments[0] & 0xff), 0);
  }
  Thread& thread = current_thread();
  if (call.number == __NR_futex) return futex_call(call);
  if (gives_way(call.number)) let_others_run(thread);
  const long result = answer_wherefrom(call);
  if (writes_data(call.number)) {
    if (const uint8_t output = first_output(call.arguments[0])) show_data(call, result, output);
  }
  follow_files(call, result);
  return result;
}

long altered_tick(Thread& thread) {
  let_others_run(thread);
  const bool takes_turns = runtime.threads_alive > 1;
  const long most = takes_turns ? static_cast<long>(kAlteredQuantum) : kUnlimited;
  if (session_control() == nullptr) return most;
  format::ReplayControl& control = *session_control();
  const uint64_t ticks = ticks_of(thread);
  if (control.tick_limit == 0) return most;
  if (ticks >= control.tick_limit) {
    control.hung = 1;
    end_altered(0, 0);
  }
  const long left = static_cast<long>(control.tick_limit - ticks);
  return left < most ? left : most;
}

void let_time_pass() {
  passed += kSecond;
}

void give_up_altered() {
  if (has_agent()) end_as_program(kGaveUp, 0);
  end_altered(0, 0);
}

void end_altered(int64_t exit_status, int signal) {
  if (has_agent()) end_as_program(exit_status, signal);
  end_replay(format::ReplayState::kFinished, exit_status, signal);
}

}  // namespace culprit::loader
