#include "runtime/loader/baton.h"

#include "runtime/loader/chaos.h"
#include "runtime/loader/spin.h"

namespace culprit::loader {
namespace {

/// Protects what follows; held for a few instructions only.
struct Lock {
  uint32_t word = 0;  ///< 0 free, 1 held, 2 held and waited for
  void take() {
    uint32_t expected = 0;
    if (__atomic_compare_exchange_n(&word, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    while (__atomic_exchange_n(&word, 2u, __ATOMIC_ACQUIRE) != 0) {
      raw(__NR_futex, loader::word(&word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0);
    }
  }
  void give() {
    if (__atomic_exchange_n(&word, 0u, __ATOMIC_RELEASE) == 2) {
      raw(__NR_futex, loader::word(&word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
    }
  }
};

Lock lock;
Thread* holder;
Thread* first_ready;
Thread* last_ready;

void enqueue(Thread& thread) {
  thread.next_ready = nullptr;
  (first_ready == nullptr ? first_ready : last_ready->next_ready) = &thread;
  last_ready = &thread;
}

/// Takes the thread that goes next out of the queue: the first one of the highest priority (all are 0 without chaos).
Thread* dequeue() {
  Thread* before_best = nullptr;
  Thread* best = first_ready;
  for (Thread* each = first_ready; each != nullptr && each->next_ready != nullptr; each = each->next_ready) {
    if (each->next_ready->priority > best->priority) before_best = each, best = each->next_ready;
  }
  if (best == nullptr) return nullptr;
  (before_best == nullptr ? first_ready : before_best->next_ready) = best->next_ready;
  if (last_ready == best) last_ready = before_best;
  return best;
}

/// Called without the lock: the woken thread must not meet it held.
void wake(Thread* thread) {
  if (thread == nullptr) return;
  __atomic_store_n(&thread->go, 1u, __ATOMIC_RELEASE);
  raw(__NR_futex, word(&thread->go), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

/// With the lock, which it gives: `thread` gets ready behind `next`, which runs. Nothing when that is nullptr.
void hand_over_to(Thread* next, Thread& thread) {
  if (next == nullptr) return lock.give();
  __atomic_store_n(&thread.go, 0u, __ATOMIC_RELAXED);
  enqueue(thread);
  holder = next;
  lock.give();
  wake(next);
  wait_for_baton(thread);
}

}  // namespace

void release_baton() {
  lock.take();
  Thread* next = dequeue();
  holder = next;
  lock.give();
  wake(next);
}

void make_ready(Thread& thread) {
  lock.take();
  enqueue(thread);
  lock.give();
}

void acquire_baton(Thread& thread) {
  lock.take();
  if (holder == nullptr) {
    holder = &thread;
    lock.give();
    return;
  }
  __atomic_store_n(&thread.go, 0u, __ATOMIC_RELAXED);
  enqueue(thread);
  lock.give();
  wait_for_baton(thread);
}

void wait_for_baton(Thread& thread) {
  if (runtime.mode != Mode::kRecord) {
    sleep_until_go(thread, nullptr, false, false);
    return;
  }
  while (__atomic_load_n(&thread.go, __ATOMIC_ACQUIRE) == 0) {
    Thread* before = baton_holder();
    const uint64_t entries = before == nullptr ? 0 : __atomic_load_n(&before->entries, __ATOMIC_RELAXED);
    const __kernel_timespec patience = patience_with_holder();
    const long woken = raw(__NR_futex, word(&thread.go), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, word(&patience), 0, 0);
    if (woken != -ETIMEDOUT || before == nullptr || baton_holder() != before) continue;
    if (__atomic_load_n(&before->entries, __ATOMIC_RELAXED) == entries) ask_about_holder(*before);
  }
}

void hand_baton_on(Thread& thread) {
  lock.take();
  Thread* next = dequeue();
  if (next != nullptr && in_chaos()) thread.priority = 0;
  hand_over_to(next, thread);
}

void yield_baton(Thread& thread) {
  draw_priority(thread);
  lock.take();
  Thread* next = dequeue();
  if (next != nullptr && next->priority < thread.priority) {
    enqueue(*next);
    next = nullptr;
  }
  hand_over_to(next, thread);
}

Thread* baton_holder() {
  return __atomic_load_n(&holder, __ATOMIC_ACQUIRE);
}

bool nobody_is_ready() {
  lock.take();
  const bool nobody = first_ready == nullptr;
  lock.give();
  return nobody;
}

void reset_baton(Thread& thread) {
  lock.word = 0;
  holder = &thread;
  first_ready = last_ready = nullptr;
}

void prepare_wait(Thread& thread) {
  thread.woken = thread.gave_up = false;
  __atomic_store_n(&thread.go, 0u, __ATOMIC_RELAXED);
}

bool wake_waiting(Thread& thread) {
  lock.take();
  const bool waits = !thread.gave_up;
  if (waits) {
    thread.woken = true;
    enqueue(thread);
  }
  lock.give();
  return waits;
}

bool take_back_baton(Thread& thread) {
  lock.take();
  const bool gives_up = !thread.woken;
  thread.gave_up = gives_up;
  const bool is_free = gives_up && holder == nullptr;
  if (is_free) {
    holder = &thread;
  } else if (gives_up) {
    enqueue(thread);
  }
  lock.give();
  if (!is_free) wait_for_baton(thread);
  return gives_up;
}

long sleep_until_go(Thread& thread, const __kernel_timespec* timeout, bool realtime, bool interruptible_wait) {
  const uint64_t operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | (realtime ? FUTEX_CLOCK_REALTIME : 0);
  const uint64_t arguments[6] = {word(&thread.go), operation, 0, word(timeout), 0, 0xffffffff};
  while (__atomic_load_n(&thread.go, __ATOMIC_ACQUIRE) == 0) {
    const uint32_t never = 0;
    const long result = interruptible(__NR_futex, arguments, interruptible_wait ? &thread.arrived : &never);
    if (result == -ETIMEDOUT) return result;
    if (result == -EINTR && interruptible_wait && thread.arrived) return result;
  }
  return 0;
}

}  // namespace culprit::loader
