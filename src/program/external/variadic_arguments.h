// The arguments behind "..." or in a va_list, one after the other.
#pragma once

#include <cstdint>
#include <optional>

#include "program/external/expression.h"

namespace culprit::program::external {

struct VariadicArgument {
  std::optional<uint64_t> value;  ///< nothing when it is not known, or a long double
  Place place;                    ///< where it came from
};

class VariadicArguments {
 public:
  /// Those after the described parameters.
  explicit VariadicArguments(const Application& application)
      : application_(application), next_(static_cast<uint32_t>(parameter_count(application))) {}
  /// Those that a va_list of the System V ABI for AMD64 (3.5.7) leads to, as it was before the call.
  VariadicArguments(const Application& application, uint64_t list);

  /// The one with this number from 1, for formats such as "%2$d"; lists in memory can only be read in order.
  VariadicArgument numbered(uint32_t number);
  VariadicArgument integer();
  VariadicArgument floating();
  VariadicArgument long_double();
  /// False when the list could not be read or has ended.
  bool known() const { return known_; }

 private:
  static size_t parameter_count(const Application& application);
  VariadicArgument from_call();
  VariadicArgument from_memory(uint64_t address, uint64_t bytes);
  VariadicArgument from_overflow(uint64_t bytes, uint64_t alignment);

  const Application& application_;
  bool known_ = true;
  uint32_t next_ = 0;
  bool in_list_ = false;
  uint64_t general_ = 0;   ///< offset of the next general register in the save area
  uint64_t floating_ = 0;  ///< of the next vector register
  uint64_t overflow_ = 0;  ///< address of the next argument that was passed on the stack
  uint64_t saved_ = 0;     ///< address of the save area
};

}  // namespace culprit::program::external
