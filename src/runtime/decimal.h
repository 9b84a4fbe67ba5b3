// Numbers in decimal without the C library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace culprit {

/// The digits of a number; no terminator.
class Decimal {
 public:
  explicit Decimal(uint64_t number) {
    do {
      *--first_ = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
  }
  Decimal(const Decimal&) = delete;
  Decimal& operator=(const Decimal&) = delete;
  const char* begin() const { return first_; }
  const char* end() const { return digits_ + sizeof digits_; }

 private:
  char digits_[20];
  char* first_ = digits_ + sizeof digits_;
};

}  // namespace culprit
