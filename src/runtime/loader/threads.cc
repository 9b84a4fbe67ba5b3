#include "runtime/loader/threads.h"

#include "runtime/loader/altered_threads.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/call_sites.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/futex.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/spin.h"
#include "runtime/loader/ticks.h"

extern "C" {
[[noreturn]] void leave_to_program(culprit::loader::Context* context);
void switch_stacks(uint64_t* save_here, uint64_t go_there);
void first_switch();
void save_state(void* to);
void restore_state(const void* from);
long start_kernel_thread(uint64_t flags, uint64_t stack, int32_t* parent_id, uint32_t* clear, uint64_t tls,
                         culprit::loader::Thread* thread);
}

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr uint32_t kMostThreads = 4096;
constexpr uint64_t kLegacyBytes = 512;  // of the floating point state, before its header

Thread* threads[kMostThreads];  // by slot; replaying, slots are never used again before their thread's end, too

const Thread* thread_of_stack;  // replaying: whose stack the kernel knows

uint64_t region_of(uint32_t slot) {
  return kThreadRegions + slot * kThreadRegionBytes;
}

/// A thread structure in a free slot, or nullptr.
Thread* make_thread() {
  uint32_t slot = 0;
  while (slot < kMostThreads && threads[slot] != nullptr &&
         (threads[slot]->alive || __atomic_load_n(&threads[slot]->in_kernel, __ATOMIC_ACQUIRE) != 0)) {
    ++slot;
  }
  if (slot == kMostThreads) return nullptr;
  const uint64_t region = region_of(slot);
  if (threads[slot] == nullptr) {
    const long mapped = raw(__NR_mmap, region + kPage, kThreadRegionBytes - kPage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, ~uint64_t{0}, 0);
    if (failed(mapped)) return nullptr;
  }
  auto* thread = reinterpret_cast<Thread*>((region + kThreadRegionBytes - sizeof(Thread)) & ~uint64_t{63});
  const uint64_t scratch = threads[slot] == nullptr ? 0 : thread->scratch;
  __builtin_memset(thread, 0, sizeof *thread);
  thread->scratch = scratch;
  thread->self = thread;
  thread->slot = slot;
  thread->index = runtime.threads_made++;
  thread->alive = true;
  thread->priority = random_priority();
  thread->alternate_stack = {0, kStackDisabled, 0, 0};
  thread->entry_context = page_down(word(thread)) - kStateRoom - 512;
  ++runtime.threads_alive;
  threads[slot] = thread;
  return thread;
}

/// Copies the kernel's frame that `context` is part of to the top of the new thread's runtime stack. What the new
/// thread starts from when it leaves to the program.
Context& copy_frame(const Context& context, Thread& thread) {
  const uint64_t end = context.fpstate + state_bytes(context.fpstate);
  const uint64_t bytes = end - word(&context);
  const AlternateStack stack = runtime_stack(thread);
  uint64_t to = stack.base + stack.bytes - bytes - 64;
  to -= (to - word(&context)) & 63;  // the state's alignment
  __builtin_memcpy(reinterpret_cast<void*>(to), &context, bytes);
  auto& copy = *reinterpret_cast<Context*>(to);
  copy.fpstate = to + (context.fpstate - word(&context));
  copy.stack = stack;
  return copy;
}

Thread* by_index(uint32_t index) {
  for (Thread* thread : threads) {
    if (thread == nullptr) break;
    if (thread->alive && thread->index == index) return thread;
  }
  return nullptr;
}

void set_fs(uint64_t value) {
  raw(__NR_arch_prctl, ARCH_SET_FS, value);
}

uint64_t get_fs() {
  uint64_t value = 0;
  raw(__NR_arch_prctl, ARCH_GET_FS, word(&value));
  return value;
}

void set_gs(Thread& thread) {
  if (const long result = raw(__NR_arch_prctl, ARCH_SET_GS, word(&thread))) fail("cannot set GS", result);
}

/// The thread whose event comes next, which must exist.
Thread& next_thread() {
  const Event* event = peek_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
  Thread* thread = by_index(event->thread);
  if (thread == nullptr) fail("the recording goes on with a thread that does not exist");
  return *thread;
}

/// In a replay it is the log that says who goes on.
bool keeps_waiters() {
  return runtime.mode != Mode::kReplay || runtime.altered;
}

/// As the kernel does for a thread that dies holding robust mutexes.
void walk_robust_list(Thread& thread) {
  struct Head {
    uint64_t next;
    int64_t offset;
    uint64_t pending;
  };
  constexpr uint32_t kOwnerDied = 0x40000000, kWaiters = 0x80000000, kIdMask = 0x3fffffff;
  if (thread.robust_list == 0 || !runtime.space.covers(thread.robust_list, thread.robust_list + sizeof(Head))) return;
  const Head head = *reinterpret_cast<const Head*>(thread.robust_list);
  const auto release = [&](uint64_t entry) {
    const uint64_t at = (entry & ~uint64_t{1}) + static_cast<uint64_t>(head.offset);
    if ((at & 3) || !runtime.space.covers(at, at + 4)) return;
    auto* lock = reinterpret_cast<uint32_t*>(at);
    if ((*lock & kIdMask) != static_cast<uint32_t>(thread.id)) return;
    const bool waited_for = *lock & kWaiters;
    *lock = (*lock & kWaiters) | kOwnerDied;
    if (waited_for && keeps_waiters()) wake_waiters(at, 1, 0xffffffff);
  };
  uint64_t entry = head.next;
  for (int most = 0; most < 2048 && (entry & ~uint64_t{1}) != thread.robust_list; ++most) {
    if (!runtime.space.covers(entry & ~uint64_t{1}, (entry & ~uint64_t{1}) + 8)) break;
    const uint64_t following = *reinterpret_cast<const uint64_t*>(entry & ~uint64_t{1});
    if (entry != head.pending) release(entry);
    entry = following;
  }
  if (head.pending != 0) release(head.pending);
}

/// What the kernel does to the program's memory when a thread ends.
void leave_traces(Thread& thread) {
  walk_robust_list(thread);
  const uint64_t at = thread.clear_at_end;
  if (at == 0 || !runtime.space.covers(at, at + 4)) return;
  *reinterpret_cast<uint32_t*>(at) = 0;
  if (keeps_waiters()) wake_waiters(at, 1, 0xffffffff);
}

}  // namespace

void go_on_as(Thread& from, Thread& to) {
  // Rewritten calls leave without the kernel, which would restore the floating point state.
  alignas(64) unsigned char state[kStateRoom];
  const bool saves = calls_are_rewritten();
  if (saves) {
    __builtin_memset(state + kLegacyBytes, 0, 64);
    save_state(state);
  }
  from.saved_fs = get_fs();
  set_fs(to.saved_fs);
  set_gs(to);  // the stack for signals comes back with the frame that `to` leaves by
  switch_stacks(&from.saved_stack, to.saved_stack);
  if (saves) restore_state(state);
}

Thread* thread_in_slot(uint32_t slot) {
  return slot < kMostThreads ? threads[slot] : nullptr;
}

AlternateStack runtime_stack(const Thread& thread) {
  const uint64_t region = region_of(thread.slot);
  return {region + kPage, 0, 0, page_down(word(&thread)) - region - kPage};
}

const Thread* thread_by_id(int32_t id) {
  for (const Thread* thread : threads) {
    if (thread == nullptr) break;
    if (thread->alive && thread->id == id) return thread;
  }
  return nullptr;
}

Thread& make_first_thread() {
  Thread* thread = make_thread();
  if (thread == nullptr) fail("cannot map the first thread's runtime stack");
  thread->in_kernel = 1;
  thread->stack_end = kStackTop;
  reset_baton(*thread);
  return *thread;
}

void adopt(Thread& thread) {
  thread_of_stack = &thread;
  const AlternateStack stack = runtime_stack(thread);
  if (const long result = raw(__NR_sigaltstack, word(&stack), 0)) fail("cannot set the runtime's stack", result);
  set_gs(thread);
}

long create_thread(Call& call) {
  const uint64_t flags = call.arguments[0], stack = call.arguments[1], tls = call.arguments[4];
  auto* parent_id = reinterpret_cast<int32_t*>(call.arguments[2]);
  auto* child_id = reinterpret_cast<int32_t*>(call.arguments[3]);
  Thread& parent = current_thread();
  long result = 0;
  if (runtime.mode == Mode::kReplay) {
    result = settle(call, 0);
    if (failed(result)) return result;
    if (runtime.altered) result = fresh_thread_id();
  }
  Thread* thread = make_thread();
  if (thread == nullptr) {
    if (runtime.mode == Mode::kReplay && !runtime.altered) fail("cannot make a thread that the recording has");
    return settle(call, -EAGAIN);
  }
  thread->blocked = parent.blocked;
  if (flags & CLONE_CHILD_CLEARTID) thread->clear_at_end = word(child_id);
  complete_context(*call.context);
  Context& context = copy_frame(*call.context, *thread);
  context.rax = 0;
  context.rip = place_to_go_on(context.rip);
  if (stack != 0) context.rsp = stack;
  thread->stack_end = context.rsp;
  thread->frame = &context;
  const uint64_t top = (word(&context) - 256) & ~uint64_t{15};

  if (runtime.mode == Mode::kReplay) {
    thread->saved_fs = flags & CLONE_SETTLS ? tls : get_fs();
    auto* words = reinterpret_cast<uint64_t*>(top - 64);
    words[5] = word(thread);  // rbx, as switch_stacks pops it
    words[6] = word(reinterpret_cast<void*>(&first_switch));
    thread->saved_stack = word(words);
  } else {
    // The child must not meet a signal before it is adopted.
    const uint64_t everything = ~uint64_t{0};
    uint64_t former;
    raw(__NR_rt_sigprocmask, 2, word(&everything), word(&former), 8);
    thread->in_kernel = 1;
    const uint64_t real_flags = (flags & ~CLONE_CHILD_SETTID & ~CLONE_PARENT_SETTID) | CLONE_CHILD_CLEARTID;
    result = start_kernel_thread(real_flags, top, nullptr, &thread->in_kernel, tls, thread);
    raw(__NR_rt_sigprocmask, 2, word(&former), 0, 8);
    if (failed(result)) {
      thread->alive = false;
      thread->in_kernel = 0;
      --runtime.threads_alive;
      --runtime.threads_made;
    }
    settle(call, result);
    if (failed(result)) return result;
    make_ready(*thread);
  }
  thread->id = static_cast<int32_t>(result);
  set_quantum(parent);
  if (flags & CLONE_PARENT_SETTID) *parent_id = thread->id;
  if (flags & CLONE_CHILD_SETTID) *child_id = thread->id;
  return result;
}

void end_thread(Thread& thread, Call& call) {
  if (runtime.altered) {
    // There is no log to keep to.
  } else if (runtime.mode == Mode::kReplay) {
    wait_for_turn(thread);
    const Event* event = next_event();
    if (event->kind != EventKind::kThreadEnd) {
      diverge({EventKind::kThreadEnd, thread.index, static_cast<uint32_t>(call.number), 0, call.arguments,
               call.context->rip},
              "ends");
    }
  } else {
    append_event({.bytes = 0,
                  .kind = EventKind::kThreadEnd,
                  .flags = 0,
                  .number = __NR_exit,
                  .thread = thread.index,
                  .check = 0,
                  .result = static_cast<int64_t>(call.arguments[0]),
                  .ticks = 0});
  }
  leave_traces(thread);
  thread.alive = false;
  --runtime.threads_alive;
  if (runtime.altered) leave_to_others(thread);
  if (runtime.mode == Mode::kReplay) {
    go_on_as(thread, next_thread());
    fail("a thread went on after its end");
  }
  const uint64_t everything = ~uint64_t{0};
  raw(__NR_rt_sigprocmask, 2, word(&everything), 0, 8);
  look_for_deadlock();
  release_baton();
  raw(__NR_exit, call.arguments[0]);
  __builtin_trap();
}

bool stack_is_in_force(const Thread& thread) {
  return thread_of_stack == &thread;
}

void stack_comes_in_force(const Thread& thread) {
  thread_of_stack = &thread;
}

void wait_for_turn(Thread& thread) {
  while (!runtime.altered) {
    Thread& next = next_thread();
    if (&next == &thread) return;
    go_on_as(thread, next);
  }
}

bool is_thread_id(int32_t id) {
  for (const Thread* each : threads) {
    if (each != nullptr && each->alive && each->id == id) return true;
  }
  return false;
}

void for_each_thread(void (*visit)(Thread& thread)) {
  for (Thread* each : threads) {
    if (each == nullptr) break;
    if (each->alive) visit(*each);
  }
}

void forget_other_threads(Thread& thread) {
  for (Thread*& each : threads) {
    if (each != nullptr && each != &thread) each->alive = false, each->in_kernel = 0;
  }
  runtime.threads_alive = 1;
  reset_baton(thread);
  reset_waiters();
}

void end_other_threads(Thread& thread) {
  for (Thread* each : threads) {
    if (each != nullptr && each != &thread) each->alive = false;
  }
  runtime.threads_alive = 1;
  runtime.threads_made = 1;
  thread.index = 0;
}

}  // namespace culprit::loader

/// A new kernel thread, on its runtime stack, all signals blocked.
extern "C" [[noreturn]] void run_recorded_thread(culprit::loader::Thread* thread) {
  using namespace culprit::loader;
  using culprit::format::EventKind;
  adopt(*thread);
  intercept_calls_again(runtime.interception);
  wait_for_baton(*thread);
  append_event({.bytes = 0,
                .kind = EventKind::kThreadStart,
                .flags = 0,
                .number = 0,
                .thread = thread->index,
                .check = 0,
                .result = thread->id,
                .ticks = 0});
  leave_to_program(thread->frame);
}

/// A replayed thread's first turn.
extern "C" [[noreturn]] void run_replayed_thread(culprit::loader::Thread* thread) {
  using namespace culprit::loader;
  using culprit::format::EventKind;
  if (!runtime.altered) {
    const culprit::format::Event* event = next_event();
    if (event->kind != EventKind::kThreadStart) {
      diverge({EventKind::kThreadStart, thread->index, 0, 0, nullptr, 0}, "runs for the first time");
    }
  }
  stack_comes_in_force(*thread);
  watch_for_spin(*thread);
  leave_to_program(thread->frame);
}
