#include "runtime/loader/movable_code.h"

namespace culprit::loader {
namespace {

/// Bytes of a ModRM operand (with SIB and displacement), or 0 when it is relative to the instruction pointer or not
/// wholly readable.
size_t operand_bytes(const uint8_t* code, size_t available) {
  if (available == 0) return 0;
  const unsigned mode = code[0] >> 6, base = code[0] & 7;
  if (mode == 3) return 1;
  if (mode == 0 && base == 5) return 0;
  size_t bytes = 1;
  if (base == 4) {
    if (available < 2) return 0;
    if (mode == 0 && (code[1] & 7) == 5) bytes += 4;
    ++bytes;
  }
  bytes += mode == 1 ? 1 : mode == 2 ? 4 : 0;
  return bytes <= available ? bytes : 0;
}

/// One instruction: moves, comparisons and simple arithmetic, as they follow system calls.
size_t instruction_bytes(const uint8_t* code, size_t available) {
  size_t at = 0;
  if (at < available && code[at] == 0x64) ++at;  // relative to FS
  if (at < available && (code[at] & 0xf0) == 0x40) ++at;
  if (at >= available) return 0;
  const uint8_t operation = code[at++];
  size_t immediate = 0;
  switch (operation) {
    case 0x3d:  // cmp imm32, %eax
    case 0x25:  // and
    case 0x05:  // add
      return at + 4 <= available ? at + 4 : 0;
    case 0x90:
      return at;
    case 0x01:
    case 0x03:
    case 0x09:
    case 0x0b:
    case 0x21:
    case 0x23:
    case 0x29:
    case 0x2b:
    case 0x31:
    case 0x33:
    case 0x39:
    case 0x3b:
    case 0x63:
    case 0x85:
    case 0x89:
    case 0x8b:
      break;
    case 0x83:
      immediate = 1;
      break;
    case 0x81:
    case 0xc7:
      immediate = 4;
      break;
    default:
      return 0;
  }
  const size_t operand = operand_bytes(code + at, available - at);
  if (operand == 0) return 0;
  at += operand + immediate;
  return at <= available ? at : 0;
}

uint64_t after_offset(const uint8_t* code, size_t offset_bytes, uint64_t next) {
  if (offset_bytes == 1) return next + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(code[0])));
  int32_t offset;
  __builtin_memcpy(&offset, code, sizeof offset);
  return next + static_cast<uint64_t>(static_cast<int64_t>(offset));
}

}  // namespace

size_t movable_bytes(const uint8_t* code, size_t available, size_t least) {
  size_t bytes = 0;
  while (bytes < least) {
    const size_t one = instruction_bytes(code + bytes, available - bytes);
    if (one == 0) return 0;
    bytes += one;
  }
  return bytes;
}

bool jumps_between(const uint8_t* code, size_t bytes, uint64_t address, uint64_t low, uint64_t high) {
  const auto lands = [low, high](uint64_t target) { return target > low && target < high; };
  for (size_t at = 0; at + 1 < bytes; ++at) {
    const uint8_t operation = code[at];
    const bool is_short = operation == 0xeb || (operation & 0xf0) == 0x70 || (operation & 0xfc) == 0xe0;
    if (is_short && lands(after_offset(code + at + 1, 1, address + at + 2))) return true;
    const bool is_near = operation == 0xe8 || operation == 0xe9;
    if (is_near && at + 5 <= bytes && lands(after_offset(code + at + 1, 4, address + at + 5))) return true;
    const bool is_conditional = operation == 0x0f && (code[at + 1] & 0xf0) == 0x80;
    if (is_conditional && at + 6 <= bytes && lands(after_offset(code + at + 2, 4, address + at + 6))) return true;
  }
  return false;
}

}  // namespace culprit::loader
