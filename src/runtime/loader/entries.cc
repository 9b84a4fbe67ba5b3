#include "runtime/loader/entries.h"

#include "format/tick_call.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/altered_world.h"
#include "runtime/loader/baton.h"
#include "runtime/loader/call_sites.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/chaos.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/points.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/spin.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"
#include "runtime/loader/trapped_instructions.h"

extern "C" const char __executable_start[], etext[];

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr int kFromKernel = 0x80;  // SI_KERNEL

/// Whether the recorded program does nothing more.
bool ends_next() {
  const Event* event = peek_event();
  return event != nullptr && event->kind == EventKind::kExit;
}

/// A fault of the program itself: logged or compared, then given to its handler.
void program_fault(Thread& thread, const Siginfo& siginfo, Context& context) {
  const auto number = static_cast<uint16_t>(siginfo.number);
  KernelSigaction& action = runtime.actions[siginfo.number];
  tell_agent_of_fault({.signal = siginfo.number,
                       .code = siginfo.code,
                       .address = siginfo.fields[0],
                       .instruction = context.rip,
                       .stack = context.rsp});
  const bool handled = action.handler > 1 && !(thread.blocked & signal_bit(siginfo.number));
  if (!handled) stop_before_end(format::ReplayPoint::kCrash, thread, context.rip, number, siginfo.fields[0]);
  if (runtime.altered) {
    if (!handled) die_by_signal(number);
    return enter_handler(thread, context, siginfo, action);
  }
  bool overflows = false;
  if (runtime.mode == Mode::kReplay) {
    const Event* event = next_event();
    if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
    overflows = (event->flags & format::kStackOverflow) != 0;
    const bool same = event->kind == EventKind::kFault && event->thread == thread.index && event->number == number &&
                      (runtime.other_plan || static_cast<uint64_t>(event->result) == context.rip) &&
                      event->ticks == ticks_of(thread);
    if (!same) diverge({EventKind::kFault, thread.index, number, 0, nullptr, context.rip}, "faults");
  } else {
    const PartSource part = {0, &siginfo, sizeof siginfo, format::PartKind::kMemory};
    append_event({.bytes = 0,
                  .kind = EventKind::kFault,
                  .flags = static_cast<uint8_t>((handled ? 0 : format::kFatal) |
                                                (is_stack_overflow(siginfo, context) ? format::kStackOverflow : 0)),
                  .number = number,
                  .thread = thread.index,
                  .check = 0,
                  .result = static_cast<int64_t>(context.rip),
                  .ticks = ticks_of(thread)},
                 &part, 1);
  }
  if (!handled) die_by_signal(number);
  // The recorded stack had no room for the handler's frame.
  if (overflows && runtime.other_plan && ends_next()) die_by_signal(number);
  enter_handler(thread, context, siginfo, action);
  end_where_recording_ends();
}

}  // namespace

namespace {

/// A call of the instrumentation's own: nothing of it reaches the log.
bool answer_hook(Thread& thread, Context& context) {
  if (context.rax == static_cast<uint64_t>(format::kAgentCall)) {
    context.rax = static_cast<uint64_t>(agent_call(reinterpret_cast<format::AgentLink*>(context.rdi)));
    return true;
  }
  if (runtime.mode != Mode::kReplay) return false;
  if (context.rax == static_cast<uint64_t>(format::kBranchCall)) {
    context.rax = static_cast<uint64_t>(branch_call(thread, context));
    return true;
  }
  if (context.rax != format::kHookCall) return false;
  context.rax = static_cast<uint64_t>(
      raw(static_cast<long>(context.rdi), context.rsi, context.rdx, context.r10, context.r8, context.r9));
  return true;
}

/// Answers the call of a context whose next instruction is behind the `syscall`.
void answer_call(Thread& thread, Context& context) {
  ++thread.entries;
  if (answer_hook(thread, context)) return;
  notice_jump_out_of_tick(thread, context.rsp);
  notice_jump_out_of_failure(thread, context.rsp);
  const bool tick = context.rax == static_cast<uint64_t>(format::kTickCall);
  // Not where a tick has its registers in memory that another tick would overwrite.
  const bool gives_signals = !runtime.altered && !tick && !thread.ticked;
  if (gives_signals && give_signals(thread, context, format::kAtEntry)) return end_where_recording_ends();
  // A tick that is not in the log comes amid the thread's stretch.
  const bool extra_tick = tick && thread.granted_later > 0;
  if (runtime.mode == Mode::kReplay && !runtime.altered && !extra_tick) wait_for_turn(thread);
  Call call = {context.rax,
               {context.rdi, context.rsi, context.rdx, context.r10, context.r8, context.r9},
               &format::system_call(context.rax),
               &context,
               false};
  thread.call_number = call.number;
  thread.in_tick = thread.ticked;
  thread.ticked = false;
  if (overflow_is_due(thread, tick)) {
    thread.call_number = kNoCall;
    thread.in_tick = false;
    const Siginfo siginfo = overflow_at(thread, call, tick);
    return program_fault(thread, siginfo, context);
  }
  if (runtime.mode == Mode::kRecord && preempts_at_call()) yield_baton(thread);
  const long result = tick ? tick_call(call) : answer(call);
  if (call.context_replaced) {
    thread.call_number = kNoCall;  // what is interrupted now is not this call
  } else {
    context.rax = static_cast<uint64_t>(result);
  }
  if (runtime.altered) return;
  if (!tick) give_signals(thread, context, 0);
  end_where_recording_ends();
  if (!tick) watch_for_overflow(thread);
}

}  // namespace

void on_system_call(int, Siginfo*, Context* context) {
  rewrite_call_site(context->rip, *context);
  Thread& thread = current_thread();
  end_steps_at_call(thread, *context);
  answer_call(thread, *context);
  stack_comes_in_force(thread);
  context->rip = place_to_go_on(context->rip);
}

void on_fault(int number, Siginfo* siginfo, Context* context) {
  Thread& thread = current_thread();
  if (number == kSigtrap && siginfo->code <= 0 && launcher_ends_program()) return end_from_outside(thread, *context);
  if (number == kSigtrap && begin_to_step(thread, *siginfo, *context)) return;
  if (number == kSigtrap && answer_step(thread, *siginfo, *context)) return;
  if (siginfo->code <= 0) return queue_signal(thread, *siginfo, *context);  // sent, not a fault
  const uint64_t at = context->rip;
  if (at >= word(__executable_start) && at < word(etext)) {
    Line line;
    line << "fault in the runtime itself, signal " << number << " at ";
    line.hex(at) << ", address ";
    line.hex(siginfo->fields[0]);
    fail(line.text());
  }
  const bool may_be_trapped = number == kSigsegv ? siginfo->code == kFromKernel : number == kSigill;
  if (may_be_trapped && answer_instruction(thread, *context)) {
    return end_where_recording_ends();
  }
  if (number == kSigtrap && answer_watched_statement(thread, *context)) return;
  program_fault(thread, *siginfo, *context);
}

void on_async_signal(int, Siginfo* siginfo, Context* context) {
  queue_signal(current_thread(), *siginfo, *context);
}

}  // namespace culprit::loader

/// From rewritten_entry.S. With floating point state in the context it is left by rt_sigreturn, else by Thread::go_on.
extern "C" void on_rewritten_call(culprit::loader::Context* context) {
  using namespace culprit::loader;
  Thread& thread = current_thread();
  const uint64_t after_call = context->rip, rest = thread.go_on;
  const uint64_t mask = context->mask = kernel_mask(thread);
  answer_call(thread, *context);
  const uint64_t go_on = context->rip == after_call ? rest : place_to_go_on(context->rip);
  if (runtime.mode == Mode::kReplay && !stack_is_in_force(thread)) complete_context(*context);
  if (context->fpstate != 0) {
    stack_comes_in_force(thread);
    context->rip = go_on;
    return;
  }
  thread.go_on = go_on;
  if (context->mask != mask) raw(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, word(&context->mask), 0, 8);
}
