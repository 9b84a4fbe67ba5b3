#include "runtime/loader/altered_threads.h"

#include "runtime/loader/altered_world.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

bool can_run(const Thread& thread) {
  return thread.alive && (!thread.waits || thread.woken);
}

/// Of the others, in turn, the first that `is_wanted`; nullptr when there is none.
template <typename Wanted>
Thread* next_other(const Thread& thread, const Wanted& is_wanted) {
  uint32_t slots = 0;
  while (thread_in_slot(slots) != nullptr) ++slots;
  for (uint32_t each = 1; each < slots; ++each) {
    Thread* other = thread_in_slot((thread.slot + each) % slots);
    if (is_wanted(*other)) return other;
  }
  return nullptr;
}

/// Who goes on now that `thread` cannot: where all wait, the first that waits for a time only, whose time is over then.
/// May be `thread` itself.
Thread& next_to_run(Thread& thread) {
  if (Thread* next = next_other(thread, can_run)) return *next;
  const auto waits_for_time = [](const Thread& each) { return each.alive && each.waits && !each.waits_for_ever; };
  Thread* next = waits_for_time(thread) ? &thread : next_other(thread, waits_for_time);
  if (next == nullptr) give_up_altered();
  let_time_pass();
  next->waits = false;
  return *next;
}

}  // namespace

bool wait_in_altered_run(Thread& thread, bool has_timeout) {
  thread.waits = true;
  thread.woken = false;
  thread.waits_for_ever = !has_timeout;
  Thread& next = next_to_run(thread);
  if (&next != &thread) go_on_as(thread, next);
  thread.waits = false;
  return thread.woken;
}

void let_others_run(Thread& thread) {
  if (Thread* next = next_other(thread, can_run)) go_on_as(thread, *next);
}

void leave_to_others(Thread& thread) {
  go_on_as(thread, next_to_run(thread));
  fail("a thread went on after its end");
}

int32_t fresh_thread_id() {
  int32_t highest = runtime.process;
  for (uint32_t slot = 0; thread_in_slot(slot) != nullptr; ++slot) {
    if (thread_in_slot(slot)->id > highest) highest = thread_in_slot(slot)->id;
  }
  return highest + 1;
}

}  // namespace culprit::loader
