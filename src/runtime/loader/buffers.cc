#include "runtime/loader/buffers.h"

#include "runtime/loader/special_buffers.h"

namespace culprit::loader {

using format::Buffer;
using format::Direction;
using format::SizeKind;
using format::Special;

namespace {

constexpr long kInterrupted = -4;  // EINTR

uint64_t smaller(uint64_t one, uint64_t other) {
  return one < other ? one : other;
}

uint32_t word_at(uint64_t address) {
  uint32_t value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

void add_buffer(const Buffer& buffer, size_t index, const uint64_t* arguments, const Before* before, long result,
                Extents& to) {
  const uint64_t address = arguments[buffer.pointer];
  if (address == 0) return;
  const auto& size = buffer.size;
  const uint64_t count = result > 0 ? static_cast<uint64_t>(result) : 0;
  const uint64_t argument = arguments[size.argument];
  switch (size.kind) {
    case SizeKind::kNone:
      return;
    case SizeKind::kFixed:
      return to.add(address, size.factor);
    case SizeKind::kResult:
      return to.add(address, count * size.factor + size.addend);
    case SizeKind::kResultUpTo:
      return to.add(address, smaller(count, argument) * size.factor);
    case SizeKind::kArgument:
      return to.add(address, argument * size.factor);
    case SizeKind::kPointed:
      if (argument == 0 || before == nullptr) return;
      return to.add(address, smaller(before->pointed[index], word_at(argument)));
    case SizeKind::kVector:
      return add_vector(address, argument, count, to);
    case SizeKind::kBits:
      return to.add(address, (argument + 63) / 64 * 8);
    case SizeKind::kPages:
      return to.add(address, (argument + 4095) / 4096);
    case SizeKind::kText: {
      uint64_t bytes = 0;
      while (reinterpret_cast<const char*>(address)[bytes]) ++bytes;
      return to.add(address, bytes + 1);
    }
  }
}

}  // namespace

Before words_before(const format::SystemCall& call, const uint64_t* arguments) {
  Before before = {};
  for (size_t index = 0; index < format::kMaximumBuffers; ++index) {
    const Buffer& buffer = call.buffers[index];
    if (buffer.size.kind != SizeKind::kPointed || arguments[buffer.pointer] == 0) continue;
    const uint64_t at = arguments[buffer.size.argument];
    if (at != 0) before.pointed[index] = word_at(at);
  }
  return before;
}

void written_extents(const format::SystemCall& call, const uint64_t* arguments, const Before& before, long result,
                     Extents& to) {
  for (size_t index = 0; index < format::kMaximumBuffers; ++index) {
    const Buffer& buffer = call.buffers[index];
    const bool written = buffer.direction == Direction::kOut                  ? result >= 0
                         : buffer.direction == Direction::kOutWhenInterrupted ? result == kInterrupted
                                                                              : false;
    if (written) add_buffer(buffer, index, arguments, &before, result, to);
  }
  if (call.special != Special::kNone) special_written(call, arguments, result, to);
}

void read_extents(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to) {
  if (result < 0) return;
  for (size_t index = 0; index < format::kMaximumBuffers; ++index) {
    const Buffer& buffer = call.buffers[index];
    if (buffer.direction == Direction::kIn) add_buffer(buffer, index, arguments, nullptr, result, to);
  }
  if (call.special != Special::kNone) special_read(call, arguments, result, to);
}

}  // namespace culprit::loader
