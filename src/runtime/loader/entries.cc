#include "runtime/loader/entries.h"

#include "runtime/loader/calls.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/signal_frame.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/text.h"
#include "runtime/loader/threads.h"

extern "C" const char __executable_start[], etext[];

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;

constexpr int kFromKernel = 0x80;  // SI_KERNEL

/// Bytes of the time stamp instruction at `address`: rdtsc 2, rdtscp 3, else 0.
uint64_t timestamp_instruction(uint64_t address) {
  if (!runtime.space.covers(address, address + 3)) return 0;
  const auto* code = reinterpret_cast<const unsigned char*>(address);
  if (code[0] != 0x0f) return 0;
  if (code[1] == 0x31) return 2;
  return code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;
}

struct Timestamp {
  uint64_t value;
  uint32_t processor;
};

Timestamp read_timestamp() {
  uint32_t low, high, processor;
  // rdtscp would trap here as well; the runtime reads the clock the kernel keeps instead.
  __kernel_timespec now;
  raw(__NR_clock_gettime, 4 /* CLOCK_MONOTONIC_RAW */, word(&now));
  uint32_t node;
  raw(__NR_getcpu, word(&processor), word(&node), 0);
  const uint64_t nanoseconds = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  low = static_cast<uint32_t>(nanoseconds);
  high = static_cast<uint32_t>(nanoseconds >> 32);
  return {uint64_t{high} << 32 | low, node << 12 | processor};
}

void answer_timestamp(Thread& thread, Context& context, uint64_t instruction_bytes) {
  Timestamp stamp;
  if (runtime.mode == Mode::kReplay) {
    const Event* event = next_event();
    if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0, false);
    if (event->kind != EventKind::kTimestamp || event->thread != thread.index) {
      diverge({EventKind::kTimestamp, thread.index, 0, 0, nullptr, context.rip}, "reads the time stamp counter");
    }
    stamp = {static_cast<uint64_t>(event->result), static_cast<uint32_t>(event->ticks)};
  } else {
    stamp = read_timestamp();
    append_event({.bytes = 0,
                  .kind = EventKind::kTimestamp,
                  .flags = 0,
                  .number = static_cast<uint16_t>(instruction_bytes - 2),
                  .thread = thread.index,
                  .check = 0,
                  .result = static_cast<int64_t>(stamp.value),
                  .ticks = stamp.processor});
  }
  context.rax = static_cast<uint32_t>(stamp.value);
  context.rdx = stamp.value >> 32;
  if (instruction_bytes == 3) context.rcx = stamp.processor;
  context.rip += instruction_bytes;
}

/// A fault of the program itself: logged or compared, then given to its handler.
void program_fault(Thread& thread, const Siginfo& siginfo, Context& context) {
  const auto number = static_cast<uint16_t>(siginfo.number);
  KernelSigaction& action = runtime.actions[siginfo.number];
  const bool handled = action.handler > 1 && !(thread.blocked & signal_bit(siginfo.number));
  if (runtime.mode == Mode::kReplay) {
    const Event* event = next_event();
    if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0, false);
    const bool same = event->kind == EventKind::kFault && event->thread == thread.index && event->number == number &&
                      static_cast<uint64_t>(event->result) == context.rip;
    if (!same) diverge({EventKind::kFault, thread.index, number, 0, nullptr, context.rip}, "faults");
  } else {
    const PartSource part = {0, &siginfo, sizeof siginfo, format::PartKind::kMemory};
    append_event({.bytes = 0,
                  .kind = EventKind::kFault,
                  .flags = handled ? uint8_t{0} : format::kFatal,
                  .number = number,
                  .thread = thread.index,
                  .check = 0,
                  .result = static_cast<int64_t>(context.rip),
                  .ticks = 0},
                 &part, 1);
  }
  if (!handled) die_by_signal(number);
  enter_handler(thread, context, siginfo, action);
}

}  // namespace

void on_system_call(int, Siginfo*, Context* context) {
  Thread& thread = current_thread();
  if (give_signals(thread, *context, format::kAtEntry)) return;
  if (runtime.mode == Mode::kReplay) wait_for_turn(thread);
  Call call = {context->rax,
               {context->rdi, context->rsi, context->rdx, context->r10, context->r8, context->r9},
               &format::system_call(context->rax),
               context,
               false};
  thread.call_number = call.number;
  const long result = answer(call);
  if (call.context_replaced) {
    thread.call_number = kNoCall;  // what is interrupted now is not this call
  } else {
    context->rax = static_cast<uint64_t>(result);
  }
  give_signals(thread, *context, 0);
}

void on_fault(int number, Siginfo* siginfo, Context* context) {
  Thread& thread = current_thread();
  if (siginfo->code <= 0) return queue_signal(thread, *siginfo, *context);  // sent, not a fault
  const uint64_t at = context->rip;
  if (at >= word(__executable_start) && at < word(etext)) {
    Line line;
    line << "fault in the runtime itself, signal " << number << " at ";
    line.hex(at) << ", address ";
    line.hex(siginfo->fields[0]);
    fail(line.text());
  }
  if (number == kSigsegv && siginfo->code == kFromKernel) {
    if (const uint64_t bytes = timestamp_instruction(at)) return answer_timestamp(thread, *context, bytes);
  }
  program_fault(thread, *siginfo, *context);
}

void on_async_signal(int, Siginfo* siginfo, Context* context) {
  queue_signal(current_thread(), *siginfo, *context);
}

}  // namespace culprit::loader
