#include "runtime/loader/futex.h"

#include "runtime/loader/altered_threads.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

// Protected by the baton: a thread that gives up waiting takes the baton back before it leaves the list.
Thread* first_waiter;

void remove(Thread& thread) {
  for (Thread** at = &first_waiter; *at != nullptr; at = &(*at)->next_waiter) {
    if (*at == &thread) {
      *at = thread.next_waiter;
      return;
    }
  }
}

uint32_t load(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(address), __ATOMIC_SEQ_CST);
}

long wait(Call& call, uint32_t bits, bool absolute, bool realtime) {
  const uint64_t address = call.arguments[0];
  if (address & 3) return -EINVAL;
  if (runtime.altered && !runtime.space.covers(address, address + 4)) return -EFAULT;
  if (bits == 0) return -EINVAL;
  if (load(address) != static_cast<uint32_t>(call.arguments[2])) return -EAGAIN;
  __kernel_timespec deadline;
  const auto* timeout = reinterpret_cast<const __kernel_timespec*>(call.arguments[3]);
  if (timeout != nullptr) {
    if (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1'000'000'000 || timeout->tv_sec < 0) return -EINVAL;
    deadline = *timeout;
    if (!absolute) {
      __kernel_timespec now;
      raw(__NR_clock_gettime, 1 /* CLOCK_MONOTONIC */, word(&now));
      deadline.tv_sec += now.tv_sec;
      deadline.tv_nsec += now.tv_nsec;
      if (deadline.tv_nsec >= 1'000'000'000) deadline.tv_nsec -= 1'000'000'000, ++deadline.tv_sec;
    }
  }

  Thread& thread = current_thread();
  prepare_wait(thread);
  thread.waits_at = address;
  thread.wait_bits = bits;
  thread.next_waiter = nullptr;
  Thread** end = &first_waiter;
  while (*end != nullptr) end = &(*end)->next_waiter;
  *end = &thread;
  if (runtime.altered) {
    if (wait_in_altered_run(thread, timeout != nullptr)) return 0;
    remove(thread);
    return -ETIMEDOUT;
  }
  thread.waits_for_ever = timeout == nullptr;
  look_for_deadlock();
  release_baton();

  const long result = sleep_until_go(thread, timeout == nullptr ? nullptr : &deadline, realtime, true);
  if (result == 0) return 0;
  if (!take_back_baton(thread)) return 0;
  remove(thread);
  return result;
}

/// By what lies at the futex in glibc's mutexes and thread descriptors.
format::WaitPart what_is_waited_for(const Thread& thread) {
  constexpr uint64_t kOwnerOffset = 8;
  const uint64_t at = thread.waits_at;
  format::WaitPart part = {
      .address = at, .thread = thread.index, .other = 0, .waits_for = format::WaitsFor::kWakeUp, .reserved = 0};
  if (!runtime.space.covers(at, at + kOwnerOffset + 4)) return part;
  if (const Thread* owner = thread_by_id(static_cast<int32_t>(load(at + kOwnerOffset)))) {
    part.other = owner->index;
    part.waits_for = format::WaitsFor::kMutex;
  } else if (const Thread* ending = thread_by_id(static_cast<int32_t>(load(at)));
             ending && ending->clear_at_end == at) {
    part.other = ending->index;
    part.waits_for = format::WaitsFor::kThreadEnd;
  }
  return part;
}

void describe(const format::WaitPart& part, Line& line) {
  switch (part.waits_for) {
    case format::WaitsFor::kMutex:
      line << "the mutex at ";
      line.hex(part.address) << ", which thread " << static_cast<uint64_t>(part.other) << " holds";
      return;
    case format::WaitsFor::kThreadEnd:
      line << "the end of thread " << static_cast<uint64_t>(part.other);
      return;
    case format::WaitsFor::kWakeUp:
      line << "a wake-up at ";
      line.hex(part.address);
  }
}

void note(const char* text) {
  Line line;
  line << "culprit: " << text << "\n";
  raw(__NR_write, 2, word(line.text()), line.size());
  const PartSource part = {0, text, static_cast<uint32_t>(text_bytes(text)), format::PartKind::kText};
  append_event({.bytes = 0,
                .kind = format::EventKind::kNote,
                .flags = 0,
                .number = __NR_futex,
                .thread = current_thread().index,
                .check = 0,
                .result = 0,
                .ticks = 0},
               &part, 1);
}

long requeue(const uint64_t* arguments, bool compare) {
  const uint64_t from = arguments[0], to = arguments[4];
  if (compare && load(from) != static_cast<uint32_t>(arguments[5])) return -EAGAIN;
  const auto most = static_cast<uint32_t>(arguments[3]);
  long woken = wake_waiters(from, static_cast<uint32_t>(arguments[2]), 0xffffffff);
  uint32_t moved = 0;
  for (Thread* each = first_waiter; each != nullptr && moved < most; each = each->next_waiter) {
    if (each->waits_at != from) continue;
    each->waits_at = to;
    ++moved;
  }
  return woken + moved;
}

long wake_with_operation(const uint64_t* arguments) {
  const auto encoded = static_cast<uint32_t>(arguments[5]);
  const uint32_t operation = encoded >> 28 & 7, comparison = encoded >> 24 & 15;
  auto argument = static_cast<int32_t>(encoded << 8) >> 20;
  const int32_t compared = static_cast<int32_t>(encoded << 20) >> 20;
  if (encoded >> 31) argument = static_cast<int32_t>(1u << (argument & 31));
  auto* word = reinterpret_cast<int32_t*>(arguments[4]);
  const int32_t old = *word;
  switch (operation) {
    case 0:
      *word = argument;
      break;
    case 1:
      *word = old + argument;
      break;
    case 2:
      *word = old | argument;
      break;
    case 3:
      *word = old & ~argument;
      break;
    case 4:
      *word = old ^ argument;
      break;
    default:
      return -ENOSYS;
  }
  bool holds;
  switch (comparison) {
    case 0:
      holds = old == compared;
      break;
    case 1:
      holds = old != compared;
      break;
    case 2:
      holds = old < compared;
      break;
    case 3:
      holds = old <= compared;
      break;
    case 4:
      holds = old > compared;
      break;
    case 5:
      holds = old >= compared;
      break;
    default:
      return -ENOSYS;
  }
  long woken = wake_waiters(arguments[0], static_cast<uint32_t>(arguments[2]), 0xffffffff);
  if (holds) woken += wake_waiters(arguments[4], static_cast<uint32_t>(arguments[3]), 0xffffffff);
  return woken;
}

}  // namespace

bool futex_is_own(const Call& call) {
  const uint64_t address = call.arguments[0];
  return (call.arguments[1] & FUTEX_PRIVATE_FLAG) || runtime.shared.is_free(address, address + 4);
}

long wake_waiters(uint64_t address, uint32_t count, uint32_t bits) {
  long woken = 0;
  for (Thread** at = &first_waiter; *at != nullptr && woken < static_cast<long>(count);) {
    Thread* thread = *at;
    if (thread->waits_at != address || !(thread->wait_bits & bits)) {
      at = &thread->next_waiter;
      continue;
    }
    if (runtime.altered) {
      thread->woken = true;
    } else if (!wake_waiting(*thread)) {
      at = &thread->next_waiter;
      continue;
    }
    *at = thread->next_waiter;
    ++woken;
  }
  return woken;
}

void look_for_deadlock() {
  if (runtime.mode != Mode::kRecord || first_waiter == nullptr || !nobody_is_ready() || handlers_are_set()) return;
  uint32_t waiting = 0;
  for (const Thread* each = first_waiter; each != nullptr; each = each->next_waiter) {
    if (!each->waits_for_ever || each->woken || each->gave_up || each->arrived) return;
    ++waiting;
  }
  if (waiting != runtime.threads_alive) return;
  note("deadlock: every thread waits for another one");
  WaitingThreads threads;
  for (const Thread* each = first_waiter; each != nullptr; each = each->next_waiter) {
    const format::WaitPart part = what_is_waited_for(*each);
    threads.add(part);
    Line line;
    line << "deadlock: thread " << static_cast<uint64_t>(each->index) << " waits for ";
    describe(part, line);
    note(line.text());
  }
  if (deadlock_ends_run()) die_in_deadlock(*first_waiter, threads);
}

void reset_waiters() {
  first_waiter = nullptr;
}

long futex_call(Call& call) {
  const uint64_t* arguments = call.arguments;
  const bool realtime = arguments[1] & FUTEX_CLOCK_REALTIME;
  switch (arguments[1] & 0x7f) {
    case FUTEX_WAIT:
      return wait(call, 0xffffffff, false, false);
    case FUTEX_WAIT_BITSET:
      return wait(call, static_cast<uint32_t>(arguments[5]), true, realtime);
    case FUTEX_WAKE:
      return wake_waiters(arguments[0], static_cast<uint32_t>(arguments[2]), 0xffffffff);
    case FUTEX_WAKE_BITSET:
      return wake_waiters(arguments[0], static_cast<uint32_t>(arguments[2]), static_cast<uint32_t>(arguments[5]));
    case FUTEX_REQUEUE:
      return requeue(arguments, false);
    case FUTEX_CMP_REQUEUE:
      return requeue(arguments, true);
    case FUTEX_WAKE_OP:
      return wake_with_operation(arguments);
    default:
      return -ENOSYS;
  }
}

}  // namespace culprit::loader
