// A parsed line of the table of external functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/external/expression.h"

namespace culprit::program::external {

enum class ValueType : uint8_t { kWord, kInt, kUnsigned, kFloat, kDouble, kLongDouble, kVoid };

/// As the table writes it: "word", "int", …
std::string_view name_of(ValueType type);

struct Parameter {
  ValueType type = ValueType::kWord;
  std::string name;
};

/// Something that is read or written.
struct Item {
  enum class Form : uint8_t {
    kBytes,     ///< address[bytes]: operands address, size
    kArgument,  ///< a parameter's value
    kResult,    ///< ret
    kState,     ///< @name or @name(key)
    kText,      ///< "…": characters of the function's own
    kByte,      ///< byte(c): a parameter's low byte
    kUnknown,   ///< some: bytes of the function's own making
    kPrintf,    ///< printf(format) with the variadic arguments, or printf(format, list)
    kScanf,     ///< scanf(format) or scanf(format, list): what the conversions point at
    kWidePrintf,
    kWideScanf,
    kVectors,    ///< vectors(iov, count, limit): the buffers of an array of struct iovec
    kStrings,    ///< strings(array): an array of strings that ends in a null pointer, and the strings
    kCxxString,  ///< string(s): a std::string's members and characters
  };
  Form form = Form::kBytes;
  bool after = false;  ///< kCxxString: as the call left it
  uint32_t argument = 0;
  std::string text{};  ///< kText; kState: name
  std::vector<Expression> operands{};
};

struct Clause {
  enum class Verb : uint8_t {
    kReads,
    kWrites,
    kClears,
    kCopies,
    kFills,
    kInputs,
    kOutputs,
    kAllocates,
    kFrees,
    kReturns,
    kReturnsInto,
    kReturnsOwned,  ///< a pointer to the library's own memory
    kCalls,
    kStarts,
    kAcquires,
    kReleases,
    kJoins,
    kEndsProcess,
    kEndsThread,
    kJumps,
  };
  Verb verb = Verb::kReads;
  bool may = false;
  bool later = false;    ///< kCalls
  bool or_null = false;  ///< kReturns, kReturnsInto
  bool sources_given = false;
  std::vector<Item> targets;
  std::vector<Item> sources;
  std::vector<Expression> value;      ///< none or one: the address, the returned value
  std::vector<Expression> condition;  ///< none or one
};

/// What one function does.
struct Description {
  std::string name;
  std::vector<Parameter> parameters;
  bool variadic = false;
  ValueType result = ValueType::kWord;
  std::vector<Clause> clauses;
  uint64_t pointer_parameters = 0;  ///< bit i: parameter i is where some range starts
  uint64_t written_parameters = 0;  ///< bit i: some range that starts at parameter i is written
  std::string file;                 ///< of the table
  uint32_t line = 0;
};

/// Calls `visit` for every expression of the clause.
template <typename Visit>
void for_each_expression(const Clause& clause, Visit&& visit) {
  for (const auto* items : {&clause.targets, &clause.sources}) {
    for (const Item& item : *items) {
      for (const Expression& operand : item.operands) visit(operand);
    }
  }
  for (const auto* expressions : {&clause.value, &clause.condition}) {
    for (const Expression& expression : *expressions) visit(expression);
  }
}

}  // namespace culprit::program::external
