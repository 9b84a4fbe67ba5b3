#include "runtime/loader/timestamp_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace culprit::loader {
namespace {

using Bytes = std::vector<uint8_t>;

size_t first(const Bytes& code, size_t from = 0) {
  return find_timestamp(code.data(), code.size(), from);
}

TEST(TimestampCode, TheUpperHalfIsShiftedSoon) {
  // nop; rdtsc; xor %ecx, %ecx; mov %rax, %r9; shl $32, %rdx
  const Bytes counter = {0x90, 0x0f, 0x31, 0x31, 0xc9, 0x49, 0x89, 0xc1, 0x48, 0xc1, 0xe2, 0x20};
  EXPECT_EQ(first(counter), 1u);
  EXPECT_EQ(first(counter, 2), counter.size());
  const Bytes with_processor = {0x0f, 0x01, 0xf9, 0x48, 0xc1, 0xe2, 0x20};  // rdtscp; shl $32, %rdx
  EXPECT_EQ(first(with_processor), 0u);
}

TEST(TimestampCode, BehindAFence) {
  EXPECT_EQ(first({0x0f, 0xae, 0xe8, 0x0f, 0x31, 0xc3}), 3u);  // lfence; rdtsc; ret
  EXPECT_EQ(first({0x0f, 0xae, 0xf0, 0x0f, 0x31, 0xc3}), 3u);  // mfence
}

TEST(TimestampCode, BytesThatOnlyLookLikeIt) {
  const Bytes data = {0x0f, 0x31, 0x66, 0x61, 0xc1, 0x12, 0xf4, 0x32};  // of a table in libcrypto's code
  EXPECT_EQ(first(data), data.size());
  Bytes far = {0x0f, 0x31};
  far.resize(kTimestampReach, 0x90);
  far.insert(far.end(), {0x48, 0xc1, 0xe2, 0x20});
  EXPECT_EQ(first(far), far.size());
  EXPECT_EQ(first({0x0f}), 1u);
  EXPECT_EQ(first({0x0f, 0x01}), 2u);
}

}  // namespace
}  // namespace culprit::loader
