#include "runtime/loader/altered_world.h"

#include "format/replay_control.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr int kLookAhead = 64;  // events
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

long tell_time(const Call& call) {
  static int64_t passed;
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

/// tgkill and its like, to the program itself.
long send_signal(const Call& call) {
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
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_sched_yield:
      return 0;
    case __NR_open:
    case __NR_openat:
    case __NR_stat:
    case __NR_lstat:
    case __NR_newfstatat:
    case __NR_access:
    case __NR_faccessat:
      return -ENOENT;
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
    case __NR_kill:
    case __NR_tkill:
    case __NR_tgkill:
      return send_signal(call);
    default:
      return -EPERM;
  }
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
  if (call.number == __NR_exit || call.number == __NR_exit_group) {
    end_altered(static_cast<int64_t>(call.arguments[0] & 0xff), 0);
  }
  if (call.number == __NR_futex) {
    if ((call.arguments[1] & 0x7f) == FUTEX_WAKE) return 0;
    end_altered(0, 0);  // nobody is there to wake it
  }
  const Event* event = same_in_log(call);
  const long result = event != nullptr ? event->result : answer_by_itself(call);
  if (event != nullptr) feed_back(call, *event);
  if (writes_data(call.number) && (call.arguments[0] == 1 || call.arguments[0] == 2)) show_data(call, result);
  return result;
}

long altered_tick(Thread& thread) {
  format::ReplayControl& control = *session_control();
  const uint64_t ticks = ticks_of(thread);
  if (control.tick_limit == 0) return kUnlimited;
  if (ticks >= control.tick_limit) {
    control.hung = 1;
    end_altered(0, 0);
  }
  return static_cast<long>(control.tick_limit - ticks);
}

void end_altered(int64_t exit_status, int signal) {
  end_replay(format::ReplayState::kFinished, exit_status, signal);
}

}  // namespace culprit::loader
