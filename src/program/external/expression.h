// Arithmetic over a call's arguments, its result and the program's memory, as lines of the table write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/external_effects.h"

namespace culprit::program::external {

struct Description;

enum class Operation : uint8_t {
  kNumber,
  kArgument,         ///< `number`: index
  kResult,           ///< ret
  kVariable,         ///< stdin, stdout, stderr: `name`
  kLoad,             ///< *address: a pointer-sized word
  kLoadInt,          ///< int(address): a signed 32-bit word
  kLoadByte,         ///< byte at an address
  kLength,           ///< len(s) or len(s, most)
  kWideLength,       ///< wlen(s) or wlen(s, most): in characters
  kEqualLength,      ///< same(a, b[, most]): bytes that a string comparison looks at in each
  kEqualFoldLength,  ///< samecase(a, b[, most])
  kEqualBytes,       ///< samebytes(a, b, n)
  kWideEqualLength,  ///< wsame(a, b[, most])
  kSpan,             ///< span(s, accepted): leading bytes that are in the other string
  kSpanNot,          ///< spannot(s, rejected)
  kNumberLength,     ///< numeral(s): leading space and characters that a number may have
  kFound,            ///< found(s, c): bytes up to and with the first c, or with the terminator
  kBlock,            ///< block(p): size of the heap block
  kMinimum,
  kMaximum,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kEqual,
  kUnequal,
  kLess,  ///< signed, as all comparisons
  kLessEqual,
  kAnd,
  kOr,
  kNot,
  kChoose,  ///< condition ? a : b
};

struct Expression {
  Operation operation = Operation::kNumber;
  bool after = false;  ///< the prime: memory is looked at as the call left it
  int64_t number = 0;
  std::string name;
  std::vector<Expression> operands;
};

/// The call that a line of the table is applied to.
struct Application {
  const Description& description;
  const ExternalCall& call;
  const CalledMemory& memory;

  /// An argument's value by its type; nothing when the call has fewer.
  std::optional<uint64_t> argument(uint32_t index) const;
  std::optional<uint64_t> result() const;
  /// A little-endian number of 1 to 8 bytes in memory.
  std::optional<uint64_t> load(CalledMemory::When when, uint64_t address, uint32_t bytes) const;
  /// Characters of `width` bytes before the zero or up to `most`; nothing when neither the memory's bytes nor the
  /// string's length is known.
  std::optional<uint64_t> length(CalledMemory::When when, uint64_t address, uint32_t width, uint64_t most) const;
};

/// Nothing when it rests on memory or a result that is not known.
std::optional<uint64_t> evaluate(const Expression& expression, const Application& application);

/// Arguments that the expression uses, a bit each.
uint64_t arguments_in(const Expression& expression);

}  // namespace culprit::program::external
