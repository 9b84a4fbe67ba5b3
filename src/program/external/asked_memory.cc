// What a function's line asks of the memory at its arguments.
#include <algorithm>
#include <bit>
#include <limits>

#include "program/external/description.h"
#include "program/external/table.h"

namespace culprit::program {
namespace {

using external::Clause;
using external::Expression;
using external::Item;
using external::Operation;

/// The one argument that bounds how far the expression looks at a string, e.g. n in len(s, n - 1).
std::optional<uint32_t> limit_of(const Expression& expression) {
  const bool pair =
      expression.operation == Operation::kEqualLength || expression.operation == Operation::kEqualFoldLength;
  const size_t at = pair ? 2 : 1;
  if (!pair && expression.operation != Operation::kLength) return std::nullopt;
  if (expression.operands.size() <= at) return std::nullopt;
  const uint64_t arguments = arguments_in(expression.operands[at]);
  return std::has_single_bit(arguments) ? std::optional(static_cast<uint32_t>(std::countr_zero(arguments)))
                                        : std::nullopt;
}

void ask_length(const Expression& string, const Expression& expression, AskedMemory& asked) {
  const auto argument = static_cast<uint32_t>(string.number);
  const uint64_t bit = uint64_t{1} << argument;
  const std::optional<uint32_t> limit = limit_of(expression);
  asked.limits[argument] = (asked.strings & bit) == 0 || asked.limits[argument] == limit ? limit : std::nullopt;
  asked.strings |= bit;
  if (!expression.after) asked.changed |= bit;
}

constexpr uint64_t kWordBytes = 8;
constexpr uint8_t kWordsOfCxxString = 2;  // its pointer and its size

void ask_words(uint32_t argument, uint64_t words, AskedMemory& asked) {
  const uint64_t most = std::numeric_limits<uint8_t>::max();
  asked.words[argument] = std::max(asked.words[argument], static_cast<uint8_t>(std::min(words, most)));
}

/// Of an address that is an argument, or lies at a fixed distance behind it.
void ask_word(const Expression& address, AskedMemory& asked) {
  if (address.operation == Operation::kArgument) return ask_words(static_cast<uint32_t>(address.number), 1, asked);
  if (address.operation != Operation::kAdd || address.operands.size() != 2) return;
  const Expression &base = address.operands[0], &distance = address.operands[1];
  const bool is_fixed = distance.operation == Operation::kNumber && distance.number >= 0;
  if (base.operation != Operation::kArgument || !is_fixed) return;
  ask_words(static_cast<uint32_t>(base.number), static_cast<uint64_t>(distance.number) / kWordBytes + 1, asked);
}

void look_at(const Expression& expression, AskedMemory& asked) {
  switch (expression.operation) {
    case Operation::kLength:
    case Operation::kEqualLength:
    case Operation::kEqualFoldLength:
    case Operation::kSpan:
    case Operation::kSpanNot:
    case Operation::kNumberLength:
    case Operation::kFound:
      for (const Expression& operand : expression.operands) {
        if (operand.operation == Operation::kArgument) ask_length(operand, expression, asked);
      }
      break;
    case Operation::kLoad:
      ask_word(expression.operands.front(), asked);
      asked.pointers |= arguments_in(expression);
      break;
    case Operation::kLoadInt:
    case Operation::kLoadByte:
      asked.pointers |= arguments_in(expression);
      break;
    default:
      break;
  }
  for (const Expression& operand : expression.operands) look_at(operand, asked);
}

void look_at(const Item& item, AskedMemory& asked) {
  for (const Expression& operand : item.operands) look_at(operand, asked);
  const bool at_argument = !item.operands.empty() && item.operands.front().operation == Operation::kArgument;
  if (!at_argument) return;
  const auto argument = static_cast<uint32_t>(item.operands.front().number);
  if (item.form == Item::Form::kPrintf) {
    asked.printf_format = argument;
    const bool list = item.operands.size() > 1 && item.operands[1].operation == Operation::kArgument;
    if (list) asked.printf_list = static_cast<uint32_t>(item.operands[1].number);
  }
  if (item.form == Item::Form::kScanf) asked.scanf_format = argument;
  const bool follows =
      item.form == Item::Form::kVectors || item.form == Item::Form::kStrings || item.form == Item::Form::kCxxString;
  if (follows) asked.pointers |= uint64_t{1} << argument;
  if (item.form == Item::Form::kCxxString) ask_words(argument, kWordsOfCxxString, asked);
}

}  // namespace

std::optional<AskedMemory> asked_memory(std::string_view function) {
  const external::Description* description = external::built_in_table().find(function);
  if (!description) return std::nullopt;
  AskedMemory asked;
  for (const Clause& clause : description->clauses) {
    for (const auto* items : {&clause.targets, &clause.sources}) {
      for (const Item& item : *items) look_at(item, asked);
    }
    for (const auto* expressions : {&clause.value, &clause.condition}) {
      for (const Expression& expression : *expressions) look_at(expression, asked);
    }
  }
  asked.changed &= description->written_parameters;
  return asked;
}

}  // namespace culprit::program
