#include "program/external/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <functional>

#include "base/error.h"

#include "program/external/description.h"

namespace culprit::program::external {
namespace {

using When = CalledMemory::When;
using Value = std::optional<uint64_t>;

constexpr uint64_t kNoLimit = ~uint64_t{0};
/// No string is longer; a scan that gets here runs through something else.
constexpr uint64_t kLongestScan = uint64_t{1} << 30;
constexpr uint64_t kPage = 4096;

/// Characters of memory one after the other, fetched in pieces that do not cross pages.
class Scanner {
 public:
  Scanner(const CalledMemory& memory, When when, uint64_t address, uint32_t width)
      : memory_(memory), when_(when), address_(address), width_(width) {}

  /// The next character; nothing when it is not known.
  std::optional<uint32_t> next() {
    if (used_ == filled_ && !fill()) return std::nullopt;
    uint32_t character = 0;
    std::memcpy(&character, buffer_.data() + used_, width_);
    used_ += width_;
    return character;
  }

 private:
  bool fill() {
    const uint64_t to_page_end = kPage - address_ % kPage;
    for (uint64_t bytes : {std::min<uint64_t>(to_page_end, buffer_.size()) / width_ * width_, uint64_t{width_}}) {
      if (bytes == 0) continue;
      if (!memory_.read(when_, address_, std::as_writable_bytes(std::span(buffer_)).first(bytes))) continue;
      address_ += bytes;
      used_ = 0;
      filled_ = bytes;
      return true;
    }
    return false;
  }

  const CalledMemory& memory_;
  When when_;
  uint64_t address_;
  uint32_t width_;
  std::array<unsigned char, 256> buffer_{};
  size_t used_ = 0;
  size_t filled_ = 0;
};

/// The most that a comparison looks at when only lengths are known.
Value shorter_length(const Application& call, When when, uint64_t first, uint64_t second, uint64_t most,
                     uint32_t width) {
  const Value one = call.length(when, first, width, most);
  const Value other = call.length(when, second, width, most);
  return one && other ? Value(std::min(std::min(*one, *other) + 1, most)) : std::nullopt;
}

/// Characters that a comparison of two zero-terminated strings looks at in each.
Value equal_length(const Application& call, When when, uint64_t first, uint64_t second, uint64_t most, uint32_t width,
                   bool fold, bool ends_at_zero) {
  Scanner one(call.memory, when, first, width);
  Scanner other(call.memory, when, second, width);
  const auto folded = [fold](uint32_t character) {
    return fold && character < 0x80 ? static_cast<uint32_t>(std::tolower(static_cast<int>(character))) : character;
  };
  for (uint64_t count = 0; count < std::min(most, kLongestScan); ++count) {
    const auto left = one.next();
    const auto right = other.next();
    if (!left || !right) return ends_at_zero ? shorter_length(call, when, first, second, most, width) : Value();
    if (folded(*left) != folded(*right) || (ends_at_zero && *left == 0)) return count + 1;
  }
  return most;
}

/// Leading characters for which `wanted` holds; the terminator ends them. All of them when only the length is known.
Value leading(const Application& call, When when, uint64_t address, const std::function<bool(char)>& wanted) {
  Scanner scanner(call.memory, when, address, 1);
  for (uint64_t count = 0; count < kLongestScan; ++count) {
    const auto character = scanner.next();
    if (!character) return call.length(when, address, 1, kNoLimit);
    if (*character == 0 || !wanted(static_cast<char>(*character))) return count;
  }
  return std::nullopt;
}

Value span_length(const Application& call, When when, uint64_t text, uint64_t set, bool accepted) {
  std::array<bool, 256> in_set{};
  Scanner scanner(call.memory, when, set, 1);
  while (true) {
    const auto character = scanner.next();
    if (!character) return call.length(when, text, 1, kNoLimit);
    if (*character == 0) break;
    in_set[*character] = true;
  }
  return leading(call, when, text, [&](char c) { return in_set[static_cast<unsigned char>(c)] == accepted; });
}

/// What strtol, strtod and their like may look at, without the character that ends it.
Value numeral_length(const Application& call, When when, uint64_t address) {
  bool in_space = true;
  return leading(call, when, address, [&](char c) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && in_space) return true;
    in_space = false;
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("+-._()", c) != nullptr;
  });
}

Value found_length(const Application& call, When when, uint64_t address, uint64_t character) {
  const auto before = leading(call, when, address,
                              [&](char c) { return c != static_cast<char>(static_cast<unsigned char>(character)); });
  return before ? Value(*before + 1) : std::nullopt;
}

Value arithmetic(Operation operation, uint64_t a, uint64_t b) {
  const auto left = static_cast<int64_t>(a);
  const auto right = static_cast<int64_t>(b);
  switch (operation) {
    case Operation::kMinimum:
      return std::min(a, b);
    case Operation::kMaximum:
      return static_cast<uint64_t>(std::max(left, right));
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return b == 0 ? Value() : Value(a / b);
    case Operation::kEqual:
      return a == b;
    case Operation::kUnequal:
      return a != b;
    case Operation::kLess:
      return left < right;
    case Operation::kLessEqual:
      return left <= right;
    default:
      CULPRIT_ASSERT(false, "not an arithmetic operation");
  }
}

class Evaluator {
 public:
  explicit Evaluator(const Application& call) : call_(call) {}

  Value operator()(const Expression& expression) const {
    switch (expression.operation) {
      case Operation::kNumber:
        return static_cast<uint64_t>(expression.number);
      case Operation::kArgument:
        return call_.argument(static_cast<uint32_t>(expression.number));
      case Operation::kResult:
        return call_.result();
      case Operation::kVariable:
        return call_.memory.pointer_variable(expression.name);
      case Operation::kAnd:
      case Operation::kOr:
        return junction(expression);
      case Operation::kNot: {
        const Value value = operand(expression, 0);
        return value ? Value(*value == 0) : std::nullopt;
      }
      case Operation::kChoose: {
        const Value condition = operand(expression, 0);
        return condition ? operand(expression, *condition ? 1 : 2) : std::nullopt;
      }
      default:
        return of_operands(expression);
    }
  }

 private:
  Value operand(const Expression& expression, size_t index) const { return (*this)(expression.operands[index]); }

  Value junction(const Expression& expression) const {
    const bool decisive = expression.operation == Operation::kOr;
    const Value first = operand(expression, 0);
    if (first && (*first != 0) == decisive) return decisive;
    const Value second = operand(expression, 1);
    if (second && (*second != 0) == decisive) return decisive;
    return first && second ? Value(!decisive) : std::nullopt;
  }

  Value of_operands(const Expression& expression) const {
    std::array<uint64_t, 3> values{0, 0, kNoLimit};
    for (size_t index = 0; index < expression.operands.size(); ++index) {
      const Value value = operand(expression, index);
      if (!value) return std::nullopt;
      values[index] = *value;
    }
    const When when = expression.after ? When::kAfter : When::kBefore;
    const auto [a, b, c] = values;
    const uint64_t limit = expression.operands.size() < 2 ? kNoLimit : b;
    switch (expression.operation) {
      case Operation::kLoad:
        return call_.load(when, a, 8);
      case Operation::kLoadInt: {
        const Value word = call_.load(when, a, 4);
        return word ? Value(static_cast<uint64_t>(int64_t{static_cast<int32_t>(*word)})) : std::nullopt;
      }
      case Operation::kLoadByte:
        return call_.load(when, a, 1);
      case Operation::kLength:
        return call_.length(when, a, 1, limit);
      case Operation::kWideLength:
        return call_.length(when, a, sizeof(wchar_t), limit);
      case Operation::kEqualLength:
        return equal_length(call_, when, a, b, c, 1, false, true);
      case Operation::kEqualFoldLength:
        return equal_length(call_, when, a, b, c, 1, true, true);
      case Operation::kEqualBytes:
        return equal_length(call_, when, a, b, c, 1, false, false);
      case Operation::kWideEqualLength:
        return equal_length(call_, when, a, b, c, sizeof(wchar_t), false, true);
      case Operation::kSpan:
        return span_length(call_, when, a, b, true);
      case Operation::kSpanNot:
        return span_length(call_, when, a, b, false);
      case Operation::kNumberLength:
        return numeral_length(call_, when, a);
      case Operation::kFound:
        return found_length(call_, when, a, b);
      case Operation::kBlock:
        return a == 0 ? Value(0) : call_.memory.block_bytes(a);
      default:
        return arithmetic(expression.operation, a, b);
    }
  }

  const Application& call_;
};

Value converted(uint64_t word, ValueType type) {
  if (type == ValueType::kInt) return static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
  if (type == ValueType::kUnsigned) return word & 0xffffffff;
  return word;
}

}  // namespace

std::optional<uint64_t> Application::argument(uint32_t index) const {
  if (index >= call.arguments.size()) return std::nullopt;
  const bool declared = index < description.parameters.size();
  return converted(call.arguments[index], declared ? description.parameters[index].type : ValueType::kWord);
}

std::optional<uint64_t> Application::result() const {
  return call.result ? converted(*call.result, description.result) : std::nullopt;
}

std::optional<uint64_t> Application::load(When when, uint64_t address, uint32_t bytes) const {
  uint64_t value = 0;
  if (address == 0 || !memory.read(when, address, std::as_writable_bytes(std::span(&value, 1)).first(bytes))) {
    return std::nullopt;
  }
  return value;
}

std::optional<uint64_t> Application::length(When when, uint64_t address, uint32_t width, uint64_t most) const {
  if (width == 1) {
    if (const auto known = memory.string_length(when, address)) return std::min(*known, most);
  }
  Scanner scanner(memory, when, address, width);
  for (uint64_t count = 0; count < std::min(most, kLongestScan); ++count) {
    const auto character = scanner.next();
    if (!character) return std::nullopt;
    if (*character == 0) return count;
  }
  return most;
}

std::optional<uint64_t> evaluate(const Expression& expression, const Application& application) {
  return Evaluator(application)(expression);
}

uint64_t arguments_in(const Expression& expression) {
  if (expression.operation == Operation::kArgument) return uint64_t{1} << expression.number;
  uint64_t found = 0;
  for (const Expression& operand : expression.operands) found |= arguments_in(operand);
  return found;
}

}  // namespace culprit::program::external
