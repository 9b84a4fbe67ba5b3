// Short messages put together without libc.
#pragma once

#include <stddef.h>
#include <sys/syscall.h>

#include "runtime/decimal.h"
#include "runtime/raw_syscall.h"

namespace culprit::runtime {

inline size_t length_of(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

inline bool is_same(const char* left, const char* right, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

/// One line for standard error; what does not fit is cut off.
class Text {
 public:
  void add(const char* text, size_t bytes) {
    for (size_t i = 0; i < bytes && length_ < sizeof text_; ++i) text_[length_++] = text[i];
  }
  void add(const char* text) { add(text, length_of(text)); }
  void add(size_t number) {
    const Decimal digits(number);
    add(digits.begin(), static_cast<size_t>(digits.end() - digits.begin()));
  }
  void print() const { raw_syscall(SYS_write, 2, as_argument(text_), length_); }

 private:
  char text_[512];
  size_t length_ = 0;
};

}  // namespace culprit::runtime
