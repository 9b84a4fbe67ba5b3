// CRC-32C by the processor's own instruction (SSE 4.2), for runtime and readers alike. Needs no library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

/// Continues `crc` over `bytes` bytes. Start with 0; chaining calls equals one call over the concatenation.
[[gnu::target("crc32")]] inline uint32_t crc32c(uint32_t crc, const void* at, size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(at);
  uint64_t state = static_cast<uint32_t>(~crc);
  for (; bytes >= 8; bytes -= 8, byte += 8) {
    uint64_t word;
    __builtin_memcpy(&word, byte, 8);
    state = __builtin_ia32_crc32di(state, word);
  }
  for (; bytes > 0; --bytes, ++byte) state = __builtin_ia32_crc32qi(static_cast<uint32_t>(state), *byte);
  return ~static_cast<uint32_t>(state);
}

}  // namespace culprit::format
