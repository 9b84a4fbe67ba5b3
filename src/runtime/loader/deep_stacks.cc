#include "runtime/loader/deep_stacks.h"

#include "format/runtime_abi.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/ticks.h"
#include "runtime/tick_save.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::ThreadState;
using runtime::TickSave;

/// Of the first thread: so many times what the recorded run had. Frames of bodies that are hardly optimised have been
/// seen to be 12 times as large.
constexpr uint64_t kDeeper = kDeepStackBytesMost / kStackBytesMost;
/// Of what it may still use when the run is altered: each altered run of a program that recurses without end goes on to
/// the end of its stack.
constexpr uint64_t kDeeperWhenAltered = 4;

struct {
  uint64_t recorded_bytes, lowest;
} first_stack;

uint64_t handler_stack(const Thread& thread) {
  return kHandlerStacks + thread.slot * kHandlerStackBytes;
}

uint64_t handler_stack_end(const Thread& thread) {
  return handler_stack(thread) + kHandlerStackBytes;
}

void map_zeroed(uint64_t low, uint64_t high) {
  const long result = raw(__NR_mmap, low, high - low, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, ~uint64_t{0}, 0);
  if (failed(result)) fail("cannot map a larger machine stack", result);
}

void map_stack(uint64_t low, uint64_t high) {
  map_zeroed(low, high);
  if (!runtime.space.add(low, high)) fail("too many mappings");
}

ThreadState* state_of(const Thread& thread) {
  return reinterpret_cast<ThreadState*>(thread.tick_state);
}

/// The overflow of the thread, when it is what comes next in the log; otherwise nullptr.
const Event* overflow_to_come(const Thread& thread) {
  if (!has_deep_stacks() || runtime.altered) return nullptr;
  const Event* event = peek_event();
  const bool is = event != nullptr && event->kind == EventKind::kFault && event->thread == thread.index &&
                  (event->flags & format::kStackOverflow) != 0;
  return is ? event : nullptr;
}

/// The slow path of a tick has the program's registers in memory: back to where it was, before the tick.
void undo_tick(Thread& thread, const Call& call) {
  ThreadState& state = *state_of(thread);
  state.budget += 1 + thread.granted_later;
  state.granted += static_cast<uint64_t>(thread.granted_later);
  thread.granted_later = 0;
  const uint64_t at = call.arguments[2];
  if (!runtime.space.covers(at, at + sizeof(TickSave))) return;
  const auto& save = *reinterpret_cast<const TickSave*>(at);
  Context& context = *call.context;
  context.rax = save.rax, context.rbx = save.rbx, context.rcx = save.rcx, context.rdx = save.rdx;
  context.rsi = save.rsi, context.rdi = save.rdi, context.rbp = save.rbp, context.rsp = save.rsp;
  context.r8 = save.r8, context.r9 = save.r9, context.r10 = save.r10, context.r11 = save.r11;
  context.r12 = save.r12, context.r13 = save.r13, context.r14 = save.r14, context.r15 = save.r15;
  context.rip = save.r11;  // where the tick ends
}

}  // namespace

bool has_deep_stacks() {
  return runtime.mode == Mode::kReplay && runtime.other_plan;
}

void deepen_first_stack(uint64_t low) {
  first_stack.recorded_bytes = kStackTop - low;
  first_stack.lowest = kStackTop - first_stack.recorded_bytes * kDeeper;
  map_stack(first_stack.lowest, low);
}

void limit_first_stack() {
  if (!has_deep_stacks() || first_stack.lowest == 0) return;
  constexpr uint64_t kChunk = 2u << 20;
  unsigned char resident[kChunk / kPage];
  uint64_t used = kStackTop - first_stack.recorded_bytes;
  while (used - kChunk > first_stack.lowest) {
    if (failed(raw(__NR_mincore, used - kChunk, kChunk, word(resident)))) break;
    bool any = false;
    for (const unsigned char page : resident) any = any || (page & 1) != 0;
    if (!any) break;
    used -= kChunk;
  }
  const uint64_t lowest = used - (kDeeperWhenAltered - 1) * first_stack.recorded_bytes;
  if (lowest <= first_stack.lowest) return;
  raw(__NR_munmap, first_stack.lowest, lowest - first_stack.lowest);
  runtime.space.remove(first_stack.lowest, lowest);
  first_stack.lowest = lowest;
}

uint64_t place_of_stack(uint64_t bytes) {
  if (bytes > kStackMapHigh - kStackMapLow) return 0;
  const uint64_t low = runtime.space.highest_free(kStackMapLow, kStackMapHigh, bytes + 2 * kStackMapRoom);
  return low == 0 ? 0 : low + kStackMapRoom;
}

bool is_mapped_stack(uint64_t address) {
  return address >= kStackMapLow && address < kStackMapHigh;
}

void deepen_mapped_stack(uint64_t low, uint64_t bytes) {
  // Not part of the program's space, by which further places are chosen.
  map_zeroed(low - kStackMapRoom, low);
  raw(__NR_mprotect, low, bytes, PROT_READ | PROT_WRITE);
}

void end_mapped_stack(uint64_t low, uint64_t bytes) {
  // Of a stack that is unmapped in pieces only the lowest one has something below it.
  if (runtime.space.is_free(low - kStackMapRoom, low + bytes)) raw(__NR_munmap, low - kStackMapRoom, kStackMapRoom);
}

bool has_room(const Thread& thread, uint64_t low, uint64_t high) {
  if (runtime.space.covers(low, high)) return true;
  const uint64_t end = thread.stack_end;
  return has_deep_stacks() && is_mapped_stack(end) && low >= end - kStackMapRoom && high <= end;
}

uint64_t deep_handler_stack(const Thread& thread) {
  const uint64_t end = handler_stack_end(thread);
  if (!runtime.space.covers(end - kPage, end)) map_stack(handler_stack(thread) + kPage, end);
  return end;
}

uint64_t end_of_deep_handler_stack(const Thread& thread, uint64_t address) {
  if (!has_deep_stacks()) return 0;
  return address > handler_stack(thread) && address <= handler_stack_end(thread) ? handler_stack_end(thread) : 0;
}

bool is_stack_overflow(const Siginfo& siginfo, const Context& context) {
  // As in runtime/stacks.cc; what faults there reaches the stack pointer from below or is a push.
  constexpr uint64_t kFarthestBelow = 256 * 1024, kFarthestAbove = kPage;
  const uint64_t address = siginfo.fields[0];
  return siginfo.number == kSigsegv && siginfo.code > 0 && address + kFarthestBelow > context.rsp &&
         address < context.rsp + kFarthestAbove;
}

long ticks_until_overflow(const Thread& thread, uint64_t ticks, long granted) {
  const Event* overflow = overflow_to_come(thread);
  if (overflow == nullptr || overflow->ticks < ticks) return granted;
  const uint64_t until = overflow->ticks + 1 - ticks;
  return until < static_cast<uint64_t>(granted) ? static_cast<long>(until) : granted;
}

void watch_for_overflow(Thread& thread) {
  ThreadState* state = state_of(thread);
  if (state == nullptr || thread.frame_in_tick != 0) return;
  // The tick after those of the budget asks.
  const long left = state->budget + 1;
  const long until = ticks_until_overflow(thread, ticks_of(thread), left);
  const long later = left - until;
  state->budget -= later;
  state->granted -= static_cast<uint64_t>(later);
  thread.granted_later += later;
}

bool overflow_is_due(const Thread& thread, bool tick) {
  const Event* overflow = overflow_to_come(thread);
  return overflow != nullptr && (!tick || ticks_of(thread) > overflow->ticks);
}

Siginfo overflow_at(Thread& thread, const Call& call, bool tick) {
  Siginfo siginfo;
  const PartView part(*overflow_to_come(thread));
  if (!part.valid() || part.size() != sizeof siginfo) fail("a fault in the recording is malformed");
  __builtin_memcpy(&siginfo, part.bytes(), sizeof siginfo);
  if (tick) undo_tick(thread, call);
  // By its nearness to the stack pointer it is known for what it is.
  constexpr uint64_t kPushed = 8;
  siginfo.fields[0] = call.context->rsp - kPushed;
  return siginfo;
}

}  // namespace culprit::loader
