#include "runtime/fault_handlers.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "runtime/overflow.h"
#include "runtime/raw_syscall.h"
#include "runtime/signal_layout.h"
#include "runtime/stacks.h"
#include "runtime/thread_state.h"
#include "runtime/trace/trace.h"

extern "C" int sigaction(int, const culprit::runtime::LibraryAction*, culprit::runtime::LibraryAction*);
extern "C" void* signal(int, void*);

namespace culprit::runtime {
namespace {

constexpr int kRestart = 0x10000000, kWithInfo = 4;

/// What the program asked for. A signal may come while it is being changed.
struct Wanted {
  void* handler;
  int flags;
};
Wanted wanted;

bool is_handler(const void* handler) {
  return reinterpret_cast<uintptr_t>(handler) > 1;  // neither SIG_DFL nor SIG_IGN
}

bool on_alternate_stack() {
  struct {
    void* base;
    int flags;
    size_t bytes;
  } stack = {};
  constexpr int kInUse = 1;
  return raw_syscall(SYS_sigaltstack, 0, as_argument(&stack)) == 0 && (stack.flags & kInUse) != 0;
}

void enter_handler(int signal, char* information, char* context) {
  const auto handler =
      reinterpret_cast<void (*)(int, char*, char*)>(__atomic_load_n(&wanted.handler, __ATOMIC_ACQUIRE));
  const TracePlace left = leave_trace(culprit_thread);
  handler(signal, information, context);
  return_to_trace(culprit_thread, left);
}

void on_program_fault(int signal, char* information, char* context) {
  if (read_at<int>(information, kSignalCode) <= 0) return enter_handler(signal, information, context);
  const auto address = read_at<uintptr_t>(information, kSignalAddress);
  size_t stack_bytes = 0;
  const StackFault fault = examine_fault(address, &stack_bytes);
  if (fault == StackFault::kGrown) return;
  const bool machine =
      fault == StackFault::kNone && is_below_machine_stack(address, read_at<uintptr_t>(context, kSavedStackPointer));
  if (fault == StackFault::kNone && !machine) return enter_handler(signal, information, context);
  if (!machine && !on_alternate_stack()) return die_of_overflow(context, stack_bytes);

  const uintptr_t beneath = address_beneath_user_stack(culprit_thread);
  if (beneath != 0) __builtin_memcpy(information + kSignalAddress, &beneath, sizeof beneath);
  char* const user_sp = culprit_thread.user_sp;
  char* const private_sp = culprit_thread.private_sp;
  if (fault == StackFault::kOverflow && !use_emergency_stacks(culprit_thread))
    return die_of_overflow(context, stack_bytes);
  enter_handler(signal, information, context);
  culprit_thread.user_sp = user_sp;
  culprit_thread.private_sp = private_sp;
}

}  // namespace
}  // namespace culprit::runtime

using namespace culprit::runtime;

extern "C" int culprit_sigaction(int signal, const LibraryAction* action, LibraryAction* old) {
  if (signal != kSegmentationFault) return sigaction(signal, action, old);
  const Wanted before = wanted;
  LibraryAction ours;
  if (action && is_handler(action->handler)) {
    ours = *action;
    ours.handler = reinterpret_cast<void*>(on_program_fault);
    ours.flags |= kWithInfo;
    // In this order: until the kernel knows of the new action, the old one may still be entered.
    wanted.flags = action->flags;
    __atomic_store_n(&wanted.handler, action->handler, __ATOMIC_RELEASE);
    action = &ours;
  }
  LibraryAction found;
  const int result = sigaction(signal, action, &found);
  if (result != 0) {
    wanted = before;
    return result;
  }
  if (old) {
    *old = found;
    if (found.handler == reinterpret_cast<void*>(on_program_fault)) {
      old->handler = before.handler;
      old->flags = before.flags;
    } else if (is_overflow_watch(found.handler)) {
      *old = {};
    }
  }
  return 0;
}

extern "C" void* culprit_signal(int number, void* handler) {
  if (number != kSegmentationFault) return signal(number, handler);
  const LibraryAction action = {handler, {}, kRestart, nullptr};
  LibraryAction old;
  return culprit_sigaction(number, &action, &old) == 0 ? old.handler : reinterpret_cast<void*>(-1);
}
