#include "runtime/loader/machine_stack.h"

#include "runtime/loader/deep_stacks.h"

namespace culprit::loader {
namespace {

constexpr uint64_t kRedZone = 128;
constexpr uint64_t kLargestStack = 256u << 20;  ///< of a thread; farther below its top it runs on another stack
constexpr uint64_t kContextReach = 64u << 10;   ///< how far a stack of unknown size is taken to reach
constexpr uint32_t kOnStack = 0x57ac57ac;       ///< stands for any address there
constexpr int kArguments = 6;

uint64_t stack_end(const Thread& thread, uint64_t stack_pointer) {
  if (const uint64_t end = end_of_deep_handler_stack(thread, stack_pointer)) return end;
  const AlternateStack& alternate = thread.alternate_stack;
  if (stack_pointer >= alternate.base && stack_pointer < alternate.base + alternate.bytes) {
    return alternate.base + alternate.bytes;
  }
  const uint64_t largest = thread.stack_end == kStackTop ? kDeepStackBytesMost : kLargestStack;
  if (stack_pointer < thread.stack_end && thread.stack_end - stack_pointer <= largest) return thread.stack_end;
  return stack_pointer + kContextReach;
}

uint64_t distance(uint64_t one, uint64_t other) {
  return one < other ? other - one : one - other;
}

}  // namespace

bool on_machine_stack(const Thread& thread, const Context& context, uint64_t address) {
  return address >= context.rsp - kRedZone && address < stack_end(thread, context.rsp);
}

uint32_t shared_part_of_argument(const Call& call, int index) {
  const uint64_t argument = call.arguments[index];
  return on_machine_stack(current_thread(), *call.context, argument) ? kOnStack : static_cast<uint32_t>(argument);
}

int arguments_in_use(const Call& call) {
  const uint64_t operation = call.arguments[1];
  switch (call.number) {
    case __NR_futex:
      switch (operation & 0x7f) {
        case FUTEX_WAKE:
        case FUTEX_WAKE_BITSET:
        case FUTEX_UNLOCK_PI:
          return 3;
        case FUTEX_WAIT:
        case FUTEX_WAIT_BITSET:
        case FUTEX_LOCK_PI:
          return 4;
        default:
          return 6;
      }
    case __NR_fcntl:
      switch (operation) {
        case F_GETFD:
        case F_GETFL:
        case F_GETOWN:
        case F_GETSIG:
        case 1025:  // F_GETLEASE
        case 1032:  // F_GETPIPE_SZ
        case 1034:  // F_GET_SEALS
          return 2;
        default:
          return 3;
      }
    case __NR_ioctl:
      switch (operation) {
        case 0x540c:  // TIOCEXCL
        case 0x540d:  // TIOCNXCL
        case 0x5422:  // TIOCNOTTY
        case 0x5450:  // FIONCLEX
        case 0x5451:  // FIOCLEX
          return 2;
        default:
          return 3;
      }
    case __NR_prctl:
      return 2;
    default:
      return call.description->arguments;
  }
}

uint64_t address_for_log(const Call& call, uint64_t address) {
  const Thread& thread = current_thread();
  if (!on_machine_stack(thread, *call.context, address)) return address;
  uint64_t from = format::kFromStackPointer, nearest = call.context->rsp;
  // A register that the call does not use may point there by chance, and elsewhere in another plan's build.
  for (int each = 0; each < arguments_in_use(call); ++each) {
    const uint64_t argument = call.arguments[each];
    if (!on_machine_stack(thread, *call.context, argument)) continue;
    if (distance(argument, address) > distance(nearest, address)) continue;
    from = static_cast<uint64_t>(each);
    nearest = argument;
  }
  return format::kRelative | from << format::kFromShift | static_cast<uint32_t>(address - nearest);
}

uint64_t address_from_log(const Call& call, uint64_t logged) {
  if (!(logged & format::kRelative)) return logged;
  const uint64_t from = logged >> format::kFromShift & format::kFromMask;
  const uint64_t base = from < kArguments ? call.arguments[from] : call.context->rsp;
  return base + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(logged)));
}

}  // namespace culprit::loader
