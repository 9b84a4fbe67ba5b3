// The machine code of a variadic function saves the registers that arguments may lie in before anything else, and
// others lie in its caller's frame: no store of the program writes what va_arg reads. Which argument lies where follows
// from the kinds of all arguments before it (System V ABI for AMD64, 3.2.3 and 3.5.7); where both areas lie, the trace
// tells.
#include "depend/call_arguments.h"

#include <algorithm>

namespace culprit::depend {
namespace {

using namespace format;

constexpr uint64_t kWordBytes = 8;
constexpr uint64_t kAlignedBytes = 16;
constexpr uint32_t kGeneralRegisters = 6;
constexpr uint32_t kVectorRegisters = 8;
constexpr uint64_t kVectorBytes = 16;
constexpr uint64_t kVectorsFrom = kGeneralRegisters * kWordBytes;  // in the area of saved registers
constexpr uint64_t kSavedBytes = kVectorsFrom + kVectorRegisters * kVectorBytes;

/// Where an argument lies: bytes from the beginning of the saved registers, or of the arguments on the stack.
struct ArgumentPlace {
  bool on_stack;
  uint64_t offset;
};

/// Gives arguments their places, in order.
class ArgumentPlaces {
 public:
  ArgumentPlace next(uint16_t flags) {
    const auto words = static_cast<uint32_t>(flags >> kOperandWordsShift);
    if ((flags & kOperandInGeneral) != 0 && general_ + words <= kGeneralRegisters) {
      const uint64_t at = general_ * kWordBytes;
      general_ += words;
      return {false, at};
    }
    if ((flags & kOperandInVector) != 0 && vector_ < kVectorRegisters) {
      return {false, kVectorsFrom + kVectorBytes * vector_++};
    }
    if ((flags & kOperandAligned) != 0) stack_ = (stack_ + kAlignedBytes - 1) / kAlignedBytes * kAlignedBytes;
    const uint64_t at = stack_;
    stack_ += words * kWordBytes;
    return {true, at};
  }
  uint64_t stack_bytes() const { return stack_; }

 private:
  uint32_t general_ = 0, vector_ = 0;
  uint64_t stack_ = 0;
};

}  // namespace

void CallArguments::pass(const Activation& caller, Activation& callee) const {
  const program::ModelView& sections = model_.sections();
  const uint32_t end = sections.operations[caller.call + 1].first_operand;
  callee.called_by = caller.call;
  for (uint32_t each = sections.operations[caller.call].first_operand; each < end; ++each) {
    callee.arguments.push_back(writer_.source_of_operand(caller.current, each));
  }
  for (const AccessRecord& access : model_.accesses_of(caller.call)) {
    if ((access.flags & kAccessOfArgument) == 0) continue;
    definitions_.find_unwritten(caller, access);
    PassedMemory passed{access.cells, {}};
    for (uint32_t each = 0; each < access.bytes; ++each) {
      passed.definitions.push_back(definitions_.definition_at(caller, access, each));
    }
    callee.passed.push_back(std::move(passed));
  }
}

void CallArguments::define_variadic(const Activation& activation, uint32_t operation) const {
  const program::ModelView& sections = model_.sections();
  uint64_t saved = 0, stack = 0;
  for (const AccessRecord& access : model_.accesses_of(operation)) {
    if (access.place == PlaceKind::kSavedArguments) saved = definitions_.site(access.value);
    if (access.place == PlaceKind::kStackArguments) stack = definitions_.site(access.value);
  }
  // Of a callback nothing more is known than who called.
  definitions_.define(saved, kSavedBytes, activation.called_by == kNone ? activation.entered_by : kNoNumber);
  if (activation.called_by == kNone) return;
  const uint32_t named = sections.operations[operation].detail;
  const uint32_t first = sections.operations[activation.called_by].first_operand;
  const uint32_t count = sections.operations[activation.called_by + 1].first_operand - first;
  ArgumentPlaces places;
  uint64_t of_named = 0;
  for (uint32_t each = 0; each < count; ++each) {
    const uint16_t flags = sections.operands[first + each].flags;
    if ((flags & kOperandPassed) == 0) return;
    const ArgumentPlace place = places.next(flags);
    if (each < named) {
      of_named = places.stack_bytes();
      continue;
    }
    const uint64_t address = place.on_stack ? stack + place.offset - of_named : saved + place.offset;
    define_argument(activation, each, address, flags >> kOperandWordsShift);
  }
}

void CallArguments::define_argument(const Activation& activation, uint32_t number, uint64_t address,
                                    uint64_t words) const {
  for (const PassedMemory& passed : activation.passed) {
    if (passed.argument != number) continue;
    return definitions_.define_each(address, passed.definitions);
  }
  // A constant is made by the call.
  const NodeNumber source = activation.arguments[number];
  if (source == kNoNumber) return definitions_.define(address, words * kWordBytes, activation.entered_by);
  definitions_.define_value(address, words * kWordBytes, source);
}

}  // namespace culprit::depend
