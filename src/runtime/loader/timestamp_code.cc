#include "runtime/loader/timestamp_code.h"

namespace culprit::loader {
namespace {

/// Bytes of the instruction: 2 for rdtsc, 3 for rdtscp, 0 for none.
size_t timestamp_bytes(const uint8_t* code, size_t available) {
  if (available >= 2 && code[0] == 0x0f && code[1] == 0x31) return 2;
  if (available >= 3 && code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9) return 3;
  return 0;
}

/// shl $32, %rdx
bool upper_half_is_shifted(const uint8_t* code, size_t bytes) {
  for (size_t at = 0; at + 4 <= bytes; ++at) {
    if (code[at] == 0x48 && code[at + 1] == 0xc1 && code[at + 2] == 0xe2 && code[at + 3] == 0x20) return true;
  }
  return false;
}

/// lfence or mfence
bool is_fence(const uint8_t* code) {
  return code[0] == 0x0f && code[1] == 0xae && (code[2] == 0xe8 || code[2] == 0xf0);
}

}  // namespace

size_t find_timestamp(const uint8_t* code, size_t bytes, size_t from) {
  for (size_t at = from; at < bytes; ++at) {
    const size_t own = timestamp_bytes(code + at, bytes - at);
    if (own == 0) continue;
    const size_t behind = at + own, end = at + kTimestampReach < bytes ? at + kTimestampReach : bytes;
    if (at >= 3 && is_fence(code + at - 3)) return at;
    if (upper_half_is_shifted(code + behind, end - behind)) return at;
  }
  return bytes;
}

}  // namespace culprit::loader
