#include "runtime/loader/signal_frame.h"

#include "runtime/loader/call_sites.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

/// struct rt_sigframe.
struct Frame {
  uint64_t restorer;
  Context context;
  Siginfo siginfo;
};

constexpr uint64_t kLegacyBytes = 512;     // FXSAVE area
constexpr uint64_t kSizeOffset = 464 + 4;  // sw_reserved.extended_size
constexpr uint64_t kMagicOffset = 464;
constexpr uint64_t kFeaturesOffset = 464 + 8;  // sw_reserved.xfeatures
/// In XSAVE's numbers: AVX, AVX-512's masks and upper halves, its further registers.
constexpr uint32_t kVectorComponents[] = {2, 5, 6, 7};
constexpr uint32_t kStateLeaf = 0xd;
constexpr uint32_t kMagic = 0x46505853;  // FP_XSTATE_MAGIC1

struct Component {
  uint32_t offset, bytes;  ///< in XSAVE's standard form; 0 bytes where the processor lacks it
};
Component components[sizeof kVectorComponents / sizeof *kVectorComponents];

bool is_zero(uint64_t at, uint32_t bytes) {
  for (uint32_t each = 0; each < bytes; each += sizeof(uint64_t)) {
    uint64_t word;
    __builtin_memcpy(&word, reinterpret_cast<const void*>(at + each), sizeof word);
    if (word != 0) return false;
  }
  return true;
}

/// Vector registers that are zero need not count as in use: that would slow down SSE instructions, which preserve upper
/// halves.
void rest_zero_registers(uint64_t state, uint64_t bytes) {
  uint64_t in_use;
  __builtin_memcpy(&in_use, reinterpret_cast<const void*>(state + kLegacyBytes), sizeof in_use);
  for (unsigned each = 0; each < sizeof components / sizeof *components; ++each) {
    const Component& component = components[each];
    if (component.bytes == 0 || component.offset + component.bytes > bytes) continue;
    if (is_zero(state + component.offset, component.bytes)) in_use &= ~(uint64_t{1} << kVectorComponents[each]);
  }
  __builtin_memcpy(reinterpret_cast<void*>(state + kLegacyBytes), &in_use, sizeof in_use);
}

/// The registers a handler starts with: control words as after exec.
void reset_control_words(uint64_t state) {
  const uint16_t control = 0x37f;
  const uint32_t vector_control = 0x1f80;
  __builtin_memcpy(reinterpret_cast<void*>(state), &control, 2);
  __builtin_memcpy(reinterpret_cast<void*>(state + 24), &vector_control, 4);
}

}  // namespace

void learn_state_components() {
  for (unsigned each = 0; each < sizeof components / sizeof *components; ++each) {
    uint32_t a = kStateLeaf, b, c = kVectorComponents[each], d;
    asm("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    components[each] = {.offset = b, .bytes = a};
  }
}

uint64_t state_bytes(uint64_t address) {
  uint32_t magic, bytes;
  __builtin_memcpy(&magic, reinterpret_cast<const void*>(address + kMagicOffset), 4);
  __builtin_memcpy(&bytes, reinterpret_cast<const void*>(address + kSizeOffset), 4);
  return magic == kMagic && bytes >= kLegacyBytes && bytes <= 65536 ? bytes : kLegacyBytes;
}

bool is_on_alternate_stack(const Thread& thread, uint64_t stack_pointer) {
  if (end_of_deep_handler_stack(thread, stack_pointer) != 0) return true;
  const AlternateStack& stack = thread.alternate_stack;
  return stack.flags != kStackDisabled && stack_pointer > stack.base && stack_pointer - stack.base <= stack.bytes;
}

void enter_handler(Thread& thread, Context& context, const Siginfo& siginfo, KernelSigaction& action) {
  uint64_t top = context.rsp - 128;  // the red zone
  const bool switches = (action.flags & kSaOnStack) && thread.alternate_stack.flags != kStackDisabled &&
                        !is_on_alternate_stack(thread, context.rsp);
  if (switches) {
    top = has_deep_stacks() ? deep_handler_stack(thread) : thread.alternate_stack.base + thread.alternate_stack.bytes;
  }
  complete_context(context);
  const uint64_t bytes = state_bytes(context.fpstate);
  const uint64_t state = (top - bytes) & ~uint64_t{63};
  const uint64_t at = ((state - sizeof(Frame)) & ~uint64_t{15}) - 8;
  if (!has_room(thread, at, top)) die_by_signal(kSigsegv);

  auto* frame = reinterpret_cast<Frame*>(at);
  enter_handler_in_tick(thread, at);
  __builtin_memcpy(reinterpret_cast<void*>(state), reinterpret_cast<const void*>(context.fpstate), bytes);
  // Which components were in use depends on what else ran on the processor; all were written.
  if (bytes > kLegacyBytes) {
    __builtin_memcpy(reinterpret_cast<void*>(state + kLegacyBytes),
                     reinterpret_cast<const void*>(state + kFeaturesOffset), sizeof(uint64_t));
  }
  frame->restorer = action.restorer;
  frame->siginfo = siginfo;
  frame->context = context;
  frame->context.link = 0;
  // The kernel leaves these as they were on the runtime's stack.
  __builtin_memset(frame->context.reserved, 0, sizeof frame->context.reserved);
  frame->context.stack = thread.alternate_stack;
  frame->context.fpstate = state;
  frame->context.mask = thread.waited_under_mask ? thread.mask_after_wait : thread.blocked;
  thread.waited_under_mask = false;
  // What an earlier fault left in the kernel's record of this thread is not this signal's.
  const bool fault =
      siginfo.code > 0 && (siginfo.number == kSigsegv || siginfo.number == kSigbus || siginfo.number == kSigfpe ||
                           siginfo.number == kSigill || siginfo.number == kSigtrap);
  if (fault || siginfo.number == kSigabrt) thread.failure_handler = at;
  if (!fault) frame->context.err = frame->context.trapno = frame->context.cr2 = 0;
  frame->context.oldmask = 0;

  uint64_t blocked = thread.blocked | action.mask;
  if (!(action.flags & kSaNoDefer)) blocked |= signal_bit(siginfo.number);
  set_blocked(thread, context, blocked);
  context.rip = action.handler;
  context.rsp = at;
  context.rdi = static_cast<uint64_t>(siginfo.number);
  context.rsi = word(&frame->siginfo);
  context.rdx = word(&frame->context);
  context.rax = 0;
  context.rflags &= ~uint64_t{0x500};  // direction and single step
  reset_control_words(context.fpstate);
  if (action.flags & kSaResetHand) action = {0, 0, 0, 0};
}

void notice_jump_out_of_failure(Thread& thread, uint64_t stack_pointer) {
  const uint64_t frame = thread.failure_handler;
  if (frame == 0) return;
  const bool same_stack = is_on_alternate_stack(thread, frame) == is_on_alternate_stack(thread, stack_pointer);
  if (!same_stack || stack_pointer > frame) thread.failure_handler = 0;
}

void reset_floating_point(uint64_t state) {
  const uint64_t bytes = state_bytes(state);
  __builtin_memset(reinterpret_cast<void*>(state), 0, 464);
  reset_control_words(state);
  // An empty XSTATE_BV in the header brings every component's initial state.
  if (bytes > kLegacyBytes) __builtin_memset(reinterpret_cast<void*>(state + kLegacyBytes), 0, 8);
}

void leave_handler(Thread& thread, Context& context) {
  // The restorer was returned to, so the context is what the stack pointer points at.
  const uint64_t at = context.rsp;
  if (!has_room(thread, at, at + sizeof(Context))) die_by_signal(kSigsegv);
  const uint64_t frame = at - offsetof(Frame, context);
  if (thread.failure_handler == frame) thread.failure_handler = 0;
  leave_handler_in_tick(thread, frame);
  const Context& saved = *reinterpret_cast<const Context*>(at);
  complete_context(context);
  const uint64_t own_state = context.fpstate;
  const uint64_t bytes = state_bytes(own_state);
  if (saved.fpstate != 0) {
    if (!has_room(thread, saved.fpstate, saved.fpstate + bytes)) die_by_signal(kSigsegv);
    __builtin_memcpy(reinterpret_cast<void*>(own_state), reinterpret_cast<const void*>(saved.fpstate), bytes);
    if (bytes > kLegacyBytes) rest_zero_registers(own_state, bytes);
  }
  // From r8 to the flags, and the mask; segment registers stay the kernel's.
  const uint64_t first = offsetof(Context, r8), last = offsetof(Context, cs);
  __builtin_memcpy(reinterpret_cast<char*>(&context) + first, reinterpret_cast<const char*>(&saved) + first,
                   last - first);
  set_blocked(thread, context, saved.mask);
}

}  // namespace culprit::loader
