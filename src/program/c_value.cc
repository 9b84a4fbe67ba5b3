#include "program/c_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "program/type_name.h"

namespace culprit::program {

using namespace format;

namespace {

constexpr uint64_t kMostBytes = 1 << 16;  // of one object

double as_real(const Number& number) {
  if (number.is_real) return number.real;
  return number.is_unsigned ? static_cast<double>(number.integer)
                            : static_cast<double>(static_cast<int64_t>(number.integer));
}

uint64_t word(const std::vector<std::byte>& bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<size_t>(bytes.size(), 8));
  return value;
}

double floating(const std::vector<std::byte>& bytes) {
  const auto as = [&bytes](auto value) {
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return static_cast<double>(value);
  };
  return bytes.size() == 4 ? as(float{}) : bytes.size() == 8 ? as(double{}) : as(0.0L);
}

}  // namespace

Number integer(uint64_t value, bool is_unsigned) {
  return {.is_real = false, .is_unsigned = is_unsigned, .integer = value, .real = 0};
}

Number real(double value) {
  return {.is_real = true, .is_unsigned = false, .integer = 0, .real = value};
}

bool is_true(const Number& number) {
  return number.is_real ? number.real != 0 : number.integer != 0;
}

const TypeRecord* CValues::record_of(CType type) const {
  if (type.pointers != 0) return nullptr;
  const uint32_t stripped = stripped_type(model_, type.record);
  return stripped == kNone ? nullptr : &model_.type(stripped);
}

bool CValues::is_kind(CType type, TypeKind kind) const {
  const TypeRecord* record = record_of(type);
  return record != nullptr && record->kind == kind;
}

bool CValues::is_pointer(CType type) const {
  return type.pointers != 0 || is_kind(type, TypeKind::kPointer);
}

bool CValues::is_reference(CType type) const {
  return is_kind(type, TypeKind::kReference) || is_kind(type, TypeKind::kRvalueReference);
}

uint64_t CValues::size_of(CType type) const {
  if (type.pointers != 0) return 8;
  const TypeRecord* record = record_of(type);
  return record == nullptr ? 0 : (record->bits + 7) / 8;
}

CType CValues::pointed_at(CType pointer) const {
  return pointer.pointers != 0 ? CType{pointer.record, pointer.pointers - 1} : CType{record_of(pointer)->base, 0};
}

CType CValues::pointer_to(CType type) const {
  if (type.pointers == 0) {
    for (uint32_t each = 0; each < model_.types().size(); ++each) {
      if (model_.type(each).kind == TypeKind::kPointer && model_.type(each).base == type.record) return {each, 0};
    }
  }
  return {type.record, type.pointers + 1};
}

std::optional<uint32_t> CValues::type_named(std::string_view name) const {
  for (uint32_t each = 0; each < model_.types().size(); ++each) {
    const TypeRecord& record = model_.type(each);
    const bool is_named = record.kind != TypeKind::kConst && record.kind != TypeKind::kVolatile;
    if (is_named && !(record.flags & kTypeIncomplete) && model_.text(record.name) == name) return each;
  }
  return std::nullopt;
}

Thing CValues::at_address(CType type, uint64_t address) const {
  Thing thing{.type = type, .address = address, .bytes = {}};
  const uint64_t size = std::min(size_of(type), kMostBytes);
  if (size != 0) thing.bytes = memory_(address, size).value_or(std::vector<std::byte>());
  if (is_reference(type) && thing.bytes.size() == size) {
    return at_address({record_of(type)->base, 0}, word(thing.bytes));
  }
  return thing;
}

Thing CValues::computed(CType type, uint64_t value) const {
  Thing thing{.type = type, .address = std::nullopt, .bytes = std::vector<std::byte>(8)};
  std::memcpy(thing.bytes.data(), &value, 8);
  return thing;
}

Value CValues::decayed(Value value) const {
  const auto* thing = std::get_if<Thing>(&value);
  if (thing == nullptr || !is_kind(thing->type, TypeKind::kArray) || !thing->address) return value;
  return computed(pointer_to({record_of(thing->type)->base, 0}), *thing->address);
}

const Thing* CValues::as_pointer(const Value& value) const {
  const auto* thing = std::get_if<Thing>(&value);
  return thing != nullptr && is_pointer(thing->type) ? thing : nullptr;
}

uint64_t CValues::address_in(const Thing& pointer) const {
  if (pointer.bytes.size() < 8) throw CValueError("this pointer cannot be read");
  return word(pointer.bytes);
}

Number CValues::number_of(const Value& value) const {
  if (const auto* number = std::get_if<Number>(&value)) return *number;
  const Value as_value = decayed(value);
  const auto& thing = std::get<Thing>(as_value);
  if (is_pointer(thing.type)) return integer(address_in(thing), true);
  const TypeRecord* record = record_of(thing.type);
  const bool enumerated = record != nullptr && record->kind == TypeKind::kEnumeration;
  if (record == nullptr || (record->kind != TypeKind::kBase && !enumerated))
    throw CValueError("a number is needed here");
  const uint64_t needed = thing.bits != 0 ? (thing.first_bit + thing.bits + 7) / 8 : size_of(thing.type);
  if (thing.bytes.size() < needed) throw CValueError("this memory cannot be read");
  if (record->encoding == BaseEncoding::kFloat) return real(floating(thing.bytes));
  if (record->bits == 0 || record->bits > 64 || thing.first_bit + thing.bits > 64)
    throw CValueError("numbers have at most 64 bits here");
  const bool is_signed =
      enumerated || record->encoding == BaseEncoding::kSigned || record->encoding == BaseEncoding::kSignedCharacter;
  const uint64_t width = thing.bits != 0 ? thing.bits : record->bits;
  const uint64_t bits = word(thing.bytes) >> thing.first_bit << (64 - width);
  return integer(is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> (64 - width)) : bits >> (64 - width),
                 !is_signed && width == 64);
}

Value CValues::converted(const Value& value, CType type) const {
  const TypeRecord* record = record_of(type);
  const Value source = decayed(value);
  if (is_pointer(type)) return computed(type, number_of(source).integer);
  if (record == nullptr || (record->kind != TypeKind::kBase && record->kind != TypeKind::kEnumeration)) {
    throw CValueError("casts go to numbers and pointers");
  }
  Number number = number_of(source);
  if (record->encoding == BaseEncoding::kFloat) {
    return real(record->bits == 32 ? static_cast<double>(static_cast<float>(as_real(number))) : as_real(number));
  }
  if (number.is_real) {
    if (!(std::abs(number.real) < 0x1p63)) throw CValueError("this number does not fit 64 bits");
    number = integer(static_cast<uint64_t>(static_cast<int64_t>(number.real)));
  }
  if (record->encoding == BaseEncoding::kBoolean) number.integer = number.integer != 0;
  Thing thing = computed(type, number.integer);
  thing.bytes.resize(size_of(type));
  return thing;
}

Value CValues::apply(std::string_view operation, const Value& raw_left, const Value& raw_right) const {
  const Value left = decayed(raw_left), right = decayed(raw_right);
  if (operation == "+" || operation == "-") {
    if (const Thing* pointer = as_pointer(left)) return moved(operation, *pointer, right);
    if (const Thing* pointer = as_pointer(right); pointer && operation == "+") return moved("+", *pointer, left);
  }
  const Number a = number_of(left);
  // As in C, what does not matter may be unreadable.
  if (operation == "&&") return integer(is_true(a) && is_true(number_of(right)));
  if (operation == "||") return integer(is_true(a) || is_true(number_of(right)));
  const Number b = number_of(right);
  return a.is_real || b.is_real ? of_reals(operation, as_real(a), as_real(b)) : of_integers(operation, a, b);
}

Value CValues::moved(std::string_view operation, const Thing& pointer, const Value& by) const {
  const uint64_t size = std::max<uint64_t>(size_of(pointed_at(pointer.type)), 1);
  if (const Thing* other = as_pointer(by)) {
    if (operation != "-") throw CValueError("pointers are not added");
    const auto bytes = static_cast<int64_t>(address_in(pointer) - address_in(*other));
    return integer(static_cast<uint64_t>(bytes / static_cast<int64_t>(size)));
  }
  const uint64_t distance = number_of(by).integer * size;
  return computed(pointer.type, address_in(pointer) + (operation == "+" ? distance : 0 - distance));
}

Value CValues::of_reals(std::string_view operation, double a, double b) const {
  if (operation == "+") return real(a + b);
  if (operation == "-") return real(a - b);
  if (operation == "*") return real(a * b);
  if (operation == "/") return real(a / b);
  if (operation == "<") return integer(a < b);
  if (operation == "<=") return integer(a <= b);
  if (operation == ">") return integer(a > b);
  if (operation == ">=") return integer(a >= b);
  if (operation == "==") return integer(a == b);
  if (operation == "!=") return integer(a != b);
  throw CValueError(fmt::format("{} is for integers", operation));
}

Value CValues::of_integers(std::string_view operation, const Number& left, const Number& right) const {
  const uint64_t a = left.integer, b = right.integer;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  const auto compared = [&](auto relation) { return integer(is_unsigned ? relation(a, b) : relation(sa, sb)); };
  if (operation == "+") return integer(a + b, is_unsigned);
  if (operation == "-") return integer(a - b, is_unsigned);
  if (operation == "*") return integer(a * b, is_unsigned);
  if (operation == "/" || operation == "%") return divided(operation == "/", a, b, is_unsigned);
  if (operation == "<<") return integer(b > 63 ? 0 : a << b, left.is_unsigned);
  if (operation == ">>" && left.is_unsigned) return integer(b > 63 ? 0 : a >> b, true);
  if (operation == ">>") return integer(static_cast<uint64_t>(sa >> std::min<uint64_t>(b, 63)));
  if (operation == "&") return integer(a & b, is_unsigned);
  if (operation == "|") return integer(a | b, is_unsigned);
  if (operation == "^") return integer(a ^ b, is_unsigned);
  if (operation == "<") return compared(std::less<>());
  if (operation == "<=") return compared(std::less_equal<>());
  if (operation == ">") return compared(std::greater<>());
  if (operation == ">=") return compared(std::greater_equal<>());
  return integer(operation == "==" ? a == b : a != b);
}

Value CValues::divided(bool quotient, uint64_t a, uint64_t b, bool is_unsigned) const {
  if (b == 0) throw CValueError("division by zero");
  if (is_unsigned) return integer(quotient ? a / b : a % b, true);
  if (b == ~uint64_t{0}) return integer(quotient ? 0 - a : 0);  // the smallest number has no opposite
  const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  return integer(static_cast<uint64_t>(quotient ? sa / sb : sa % sb));
}

Value CValues::dereferenced(const Value& value) const {
  const Value source = decayed(value);
  const Thing* pointer = as_pointer(source);
  if (pointer == nullptr) throw CValueError("only pointers and arrays point at something");
  const CType target = pointed_at(pointer->type);
  if (target.pointers == 0 && stripped_type(model_, target.record) == kNone) {
    throw CValueError("nothing is known of what a void* points at; cast it first");
  }
  return at_address(target, address_in(*pointer));
}

Value CValues::address_of(const Value& value) const {
  const auto* thing = std::get_if<Thing>(&value);
  if (thing == nullptr || !thing->address || thing->bits != 0) throw CValueError("this has no address");
  return computed(pointer_to(thing->type), *thing->address);
}

Value CValues::field(const Value& value, std::string_view name) const {
  const auto* thing = std::get_if<Thing>(&value);
  if (thing == nullptr || thing->type.pointers != 0 || !thing->address) {
    throw CValueError("only structures have fields");
  }
  const std::optional<FoundField> found = find_field(model_, thing->type.record, name);
  if (!found) throw CValueError(fmt::format("there is no field {}", name));
  Thing result = at_address({found->type, 0}, *thing->address + found->offset);
  if (found->bits == 0) return result;
  result.first_bit = found->first_bit;
  result.bits = found->bits;
  const uint64_t bytes = (found->first_bit + found->bits + 7) / 8;
  result.bytes = memory_(*result.address, bytes).value_or(std::vector<std::byte>());
  return result;
}

std::string CValues::text_of(const Value& value, const ValueStyle& style) const {
  if (const auto* number = std::get_if<Number>(&value)) {
    if (number->is_real) return fmt::format("{}", number->real);
    return number->is_unsigned ? fmt::format("{}", number->integer)
                               : fmt::format("{}", static_cast<int64_t>(number->integer));
  }
  const auto& thing = std::get<Thing>(value);
  if (thing.bits != 0) return text_of(number_of(value), style);
  if (thing.type.pointers == 0) return print_value(model_, thing.type.record, thing.bytes, memory_, style);
  return thing.bytes.size() < 8 ? "?" : fmt::format("{:#x}", word(thing.bytes));
}

}  // namespace culprit::program
