// Building one line of text without libc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/decimal.h"

namespace culprit::loader {

/// Appends to a fixed buffer; what does not fit is cut off. Always NUL-terminated.
class Line {
 public:
  Line& operator<<(const char* text) {
    while (*text) put(*text++);
    return *this;
  }
  Line& operator<<(int64_t number) {
    if (number < 0) put('-');
    return decimal(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
  }
  Line& operator<<(int number) { return *this << static_cast<int64_t>(number); }
  Line& operator<<(uint64_t number) { return decimal(number); }
  Line& hex(uint64_t number) {
    *this << "0x";
    bool started = false;
    for (int shift = 60; shift >= 0; shift -= 4) {
      const unsigned digit = number >> shift & 15;
      started = started || digit != 0 || shift == 0;
      if (started) put("0123456789abcdef"[digit]);
    }
    return *this;
  }
  const char* text() const { return text_; }
  size_t size() const { return size_; }

 private:
  void put(char character) {
    if (size_ + 1 < sizeof(text_)) text_[size_++] = character;
    text_[size_] = 0;
  }
  Line& decimal(uint64_t number) {
    for (const char digit : Decimal(number)) put(digit);
    return *this;
  }

  size_t size_ = 0;
  char text_[256] = {};
};

/// The decimal number at the start of `text`.
inline uint64_t number_of(const char* text) {
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + static_cast<uint64_t>(*text - '0');
  return number;
}

inline size_t text_bytes(const char* text) {
  size_t bytes = 0;
  while (text[bytes]) ++bytes;
  return bytes;
}

inline bool text_equal(const char* one, const char* other) {
  while (*one && *one == *other) ++one, ++other;
  return *one == *other;
}

}  // namespace culprit::loader
