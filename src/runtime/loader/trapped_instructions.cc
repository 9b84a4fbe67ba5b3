#include "runtime/loader/trapped_instructions.h"

#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/timestamp_code.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::PartKind;

struct Registers {
  uint32_t a, b, c, d;
};

bool traps_processor_id;  ///< when instructions are trapped

void set_processor_id_trap(bool on) {
  raw(__NR_arch_prctl, ARCH_SET_CPUID, on ? 0 : 1);
}

/// The log's next event, which must be of this kind and thread.
const Event& expect(EventKind kind, const Thread& thread, const Context& context, const char* what) {
  const Event* event = next_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);
  if (event->kind != kind || event->thread != thread.index) {
    diverge({kind, thread.index, 0, 0, nullptr, context.rip}, what);
  }
  return *event;
}

struct Timestamp {
  uint64_t value;
  uint32_t processor;
};

/// rdtsc would trap here as well: the counter that the program sees is the kernel's clock in nanoseconds.
Timestamp read_timestamp() {
  __kernel_timespec now;
  raw(__NR_clock_gettime, 4 /* CLOCK_MONOTONIC_RAW */, word(&now));
  uint32_t processor = 0, node = 0;
  raw(__NR_getcpu, word(&processor), word(&node), 0);
  return {static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec),
          node << 12 | processor};
}

void answer_timestamp(Thread& thread, Context& context, uint64_t instruction_bytes) {
  Timestamp stamp;
  if (runtime.altered) {
    static uint64_t passed;
    stamp = {passed += 1000, 0};
  } else if (runtime.mode == Mode::kReplay) {
    const Event& event = expect(EventKind::kTimestamp, thread, context, "reads the time stamp counter");
    stamp = {static_cast<uint64_t>(event.result), static_cast<uint32_t>(event.ticks)};
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
}

void answer_processor_id(Thread& thread, Context& context) {
  Registers registers = {static_cast<uint32_t>(context.rax), 0, static_cast<uint32_t>(context.rcx), 0};
  if (runtime.mode == Mode::kReplay && !runtime.altered) {
    const Event& event = expect(EventKind::kProcessorId, thread, context, "asks for the processor's id");
    const PartView part(event);
    if (!part.valid() || part.size() != sizeof registers) fail("a processor id in the recording is malformed");
    __builtin_memcpy(&registers, part.bytes(), sizeof registers);
  } else {
    set_processor_id_trap(false);
    asm volatile("cpuid" : "+a"(registers.a), "=b"(registers.b), "+c"(registers.c), "=d"(registers.d));
    set_processor_id_trap(true);
  }
  if (runtime.mode == Mode::kRecord) {
    const PartSource part = {0, &registers, sizeof registers, PartKind::kMemory};
    append_event({.bytes = 0,
                  .kind = EventKind::kProcessorId,
                  .flags = 0,
                  .number = 0,
                  .thread = thread.index,
                  .check = 0,
                  .result = static_cast<int64_t>(context.rax & 0xffffffff),
                  .ticks = 0},
                 &part, 1);
  }
  context.rax = registers.a;
  context.rbx = registers.b;
  context.rcx = registers.c;
  context.rdx = registers.d;
}

}  // namespace

bool trap_processor_id() {
  traps_processor_id = !failed(raw(__NR_arch_prctl, ARCH_SET_CPUID, 0));
  return traps_processor_id;
}

void trap_instructions(bool on) {
  raw(__NR_prctl, PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0);
  if (traps_processor_id) set_processor_id_trap(on);
}

bool answer_instruction(Thread& thread, Context& context) {
  if (!runtime.space.covers(context.rip, context.rip + 2)) return false;
  const auto* code = reinterpret_cast<const unsigned char*>(context.rip);
  if (code[0] != 0x0f && code[0] != kRewrittenTimestamp) return false;
  if (code[1] == 0x31) {
    answer_timestamp(thread, context, 2);
    context.rip += 2;
  } else if (code[0] == 0x0f && code[1] == 0xa2) {
    answer_processor_id(thread, context);
    context.rip += 2;
  } else if (code[1] == 0x01 && runtime.space.covers(context.rip, context.rip + 3) && code[2] == 0xf9) {
    answer_timestamp(thread, context, 3);
    context.rip += 3;
  } else {
    return false;
  }
  return true;
}

}  // namespace culprit::loader
