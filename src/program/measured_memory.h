// Memory at a library call of which little was noted: how long the strings at some arguments are. Constants are read
// from the program's file.
#pragma once

#include <cstdint>
#include <span>

#include "program/constant_memory.h"
#include "program/external_effects.h"

namespace culprit::program {

class MeasuredMemory : public CalledMemory {
 public:
  /// Bit i of `strings`: lengths[i] is the length of the string at arguments[i], without its terminator. `constants`
  /// may be null. Everything must live as long as this.
  MeasuredMemory(std::span<const uint64_t> arguments, uint64_t strings, std::span<const uint32_t> lengths,
                 const ConstantMemory* constants)
      : arguments_(arguments), strings_(strings), lengths_(lengths), constants_(constants) {}

  bool read(When, uint64_t address, std::span<std::byte> into) const override {
    return constants_ != nullptr && constants_->read(address, into);
  }
  std::optional<uint64_t> string_length(When, uint64_t address) const override {
    for (size_t index = 0; index < arguments_.size() && index < lengths_.size(); ++index) {
      if ((strings_ >> index & 1) != 0 && arguments_[index] == address) return lengths_[index];
    }
    return std::nullopt;
  }

 private:
  std::span<const uint64_t> arguments_;
  uint64_t strings_;
  std::span<const uint32_t> lengths_;
  const ConstantMemory* constants_;
};

}  // namespace culprit::program
