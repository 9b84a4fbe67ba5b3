#include "program/c_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <variant>

#include "base/error.h"
#include "program/c_tokens.h"
#include "program/type_name.h"

namespace culprit::program {
namespace {

using namespace format;
using Kind = CToken::Kind;

constexpr uint64_t kMostBytes = 1 << 16;  // of one object
constexpr int kDeepest = 500;             // parentheses and the like

/// A type of the model, or pointers to it that the model has no record of.
struct CType {
  uint32_t record = kNone;  ///< kNone: void
  uint32_t pointers = 0;
};

struct Number {
  bool is_real = false, is_unsigned = false;
  uint64_t integer = 0;
  double real = 0;
};

/// Something in memory, or a pointer that was computed.
struct Thing {
  CType type;
  std::optional<uint64_t> address;
  std::vector<std::byte> bytes;      ///< fewer than the type's when they cannot be read
  uint64_t first_bit = 0, bits = 0;  ///< of a bit-field; 0: none
};

using Value = std::variant<Number, Thing>;

Number integer(uint64_t value, bool is_unsigned = false) {
  return {.is_real = false, .is_unsigned = is_unsigned, .integer = value, .real = 0};
}

Number real(double value) {
  return {.is_real = true, .is_unsigned = false, .integer = 0, .real = value};
}

double as_real(const Number& number) {
  if (number.is_real) return number.real;
  return number.is_unsigned ? static_cast<double>(number.integer)
                            : static_cast<double>(static_cast<int64_t>(number.integer));
}

bool is_true(const Number& number) {
  return number.is_real ? number.real != 0 : number.integer != 0;
}

class Evaluator {
 public:
  Evaluator(const ProgramModel& model, std::string_view text, const ObjectLookup& lookup, const MemoryReader& memory)
      : model_(model), text_(text), lookup_(lookup), memory_(memory), tokens_(c_tokens(text)) {}

  Value evaluate() {
    Value value = conditional();
    if (token().kind != Kind::kEnd) {
      error(token().text.ends_with('=') ? "nothing is changed here; == compares"
            : is("(")                   ? "no functions are called here"
                                        : fmt::format("`{}` is not expected here", token().text));
    }
    return value;
  }

  std::string text_of(const Value& value, const ValueStyle& style) const {
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

 private:
  // --- tokens

  const CToken& token(size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view text, size_t ahead = 0) const {
    return token(ahead).kind == Kind::kOperator && token(ahead).text == text;
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++next_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) error(fmt::format("`{}` is missing", text));
  }
  [[noreturn]] void error(const std::string& what) const { expression_error(text_, token().at, what); }

  // --- types

  const TypeRecord* record_of(CType type) const {
    if (type.pointers != 0) return nullptr;
    const uint32_t stripped = stripped_type(model_, type.record);
    return stripped == kNone ? nullptr : &model_.type(stripped);
  }

  bool is_kind(CType type, TypeKind kind) const {
    const TypeRecord* record = record_of(type);
    return record != nullptr && record->kind == kind;
  }
  bool is_pointer(CType type) const { return type.pointers != 0 || is_kind(type, TypeKind::kPointer); }
  bool is_reference(CType type) const {
    return is_kind(type, TypeKind::kReference) || is_kind(type, TypeKind::kRvalueReference);
  }

  uint64_t size_of(CType type) const {
    if (type.pointers != 0) return 8;
    const TypeRecord* record = record_of(type);
    return record == nullptr ? 0 : (record->bits + 7) / 8;
  }

  CType pointed_at(CType pointer) const {
    return pointer.pointers != 0 ? CType{pointer.record, pointer.pointers - 1} : CType{record_of(pointer)->base, 0};
  }

  /// The model's own record where it has one: its values print better.
  CType pointer_to(CType type) const {
    if (type.pointers == 0) {
      for (uint32_t each = 0; each < model_.types().size(); ++each) {
        if (model_.type(each).kind == TypeKind::kPointer && model_.type(each).base == type.record) return {each, 0};
      }
    }
    return {type.record, type.pointers + 1};
  }

  std::optional<uint32_t> type_named(std::string_view name) const {
    for (uint32_t each = 0; each < model_.types().size(); ++each) {
      const TypeRecord& record = model_.type(each);
      const bool is_named = record.kind != TypeKind::kConst && record.kind != TypeKind::kVolatile;
      if (is_named && !(record.flags & kTypeIncomplete) && model_.text(record.name) == name) return each;
    }
    return std::nullopt;
  }

  /// `(struct order*)`, `(unsigned char)`: when the parenthesis holds a type, its tokens are taken.
  std::optional<CType> cast() {
    if (!is("(")) return std::nullopt;
    size_t ahead = 1;
    std::string name;
    bool tagged = false;
    for (; token(ahead).kind == Kind::kName; ++ahead) {
      const std::string_view word = token(ahead).text;
      if (word == "const" || word == "volatile") continue;
      if (word == "struct" || word == "union" || word == "enum" || word == "class") {
        tagged = true;
        continue;
      }
      if (!name.empty()) name += ' ';
      name += word;
    }
    uint32_t stars = 0;
    for (; is("*", ahead); ++ahead) ++stars;
    if (name.empty() || !is(")", ahead)) return std::nullopt;
    if (!tagged && stars == 0 && lookup_(name)) return std::nullopt;  // a variable in parentheses
    std::optional<uint32_t> type = type_named(name);
    if (name == "void" && stars != 0) type = kNone;
    if (!type) {
      if (!tagged && stars == 0) return std::nullopt;
      error(fmt::format("the program has no complete type {}", name));
    }
    next_ += ahead + 1;
    CType result{*type, 0};
    for (; stars != 0; --stars) result = pointer_to(result);
    return result;
  }

  // --- values

  static uint64_t word(const std::vector<std::byte>& bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), std::min<size_t>(bytes.size(), 8));
    return value;
  }

  Thing at_address(CType type, uint64_t address) const {
    Thing thing{.type = type, .address = address, .bytes = {}};
    const uint64_t size = std::min(size_of(type), kMostBytes);
    if (size != 0) thing.bytes = memory_(address, size).value_or(std::vector<std::byte>());
    if (is_reference(type) && thing.bytes.size() == size) {
      return at_address({record_of(type)->base, 0}, word(thing.bytes));
    }
    return thing;
  }

  Thing computed(CType type, uint64_t value) const {
    Thing thing{.type = type, .address = std::nullopt, .bytes = std::vector<std::byte>(8)};
    std::memcpy(thing.bytes.data(), &value, 8);
    return thing;
  }

  /// Arrays as the pointers that they become.
  Value decayed(Value value) const {
    const auto* thing = std::get_if<Thing>(&value);
    if (thing == nullptr || !is_kind(thing->type, TypeKind::kArray) || !thing->address) return value;
    return computed(pointer_to({record_of(thing->type)->base, 0}), *thing->address);
  }

  const Thing* as_pointer(const Value& value) const {
    const auto* thing = std::get_if<Thing>(&value);
    return thing != nullptr && is_pointer(thing->type) ? thing : nullptr;
  }

  uint64_t address_in(const Thing& pointer) const {
    if (pointer.bytes.size() < 8) error("this pointer cannot be read");
    return word(pointer.bytes);
  }

  Number number_of(const Value& value) const {
    if (const auto* number = std::get_if<Number>(&value)) return *number;
    const Value as_value = decayed(value);
    const auto& thing = std::get<Thing>(as_value);
    if (is_pointer(thing.type)) return integer(address_in(thing), true);
    const TypeRecord* record = record_of(thing.type);
    const bool enumerated = record != nullptr && record->kind == TypeKind::kEnumeration;
    if (record == nullptr || (record->kind != TypeKind::kBase && !enumerated)) error("a number is needed here");
    const uint64_t needed = thing.bits != 0 ? (thing.first_bit + thing.bits + 7) / 8 : size_of(thing.type);
    if (thing.bytes.size() < needed) error("this memory cannot be read");
    if (record->encoding == BaseEncoding::kFloat) return real(floating(thing.bytes));
    if (record->bits > 64 || thing.first_bit + thing.bits > 64) error("numbers have at most 64 bits here");
    const bool is_signed =
        enumerated || record->encoding == BaseEncoding::kSigned || record->encoding == BaseEncoding::kSignedCharacter;
    const uint64_t width = thing.bits != 0 ? thing.bits : record->bits;
    const uint64_t bits = word(thing.bytes) >> thing.first_bit << (64 - width);
    return integer(is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> (64 - width)) : bits >> (64 - width),
                   !is_signed && width == 64);
  }

  static double floating(const std::vector<std::byte>& bytes) {
    const auto as = [&bytes](auto value) {
      std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
      return static_cast<double>(value);
    };
    return bytes.size() == 4 ? as(float{}) : bytes.size() == 8 ? as(double{}) : as(0.0L);
  }

  Value converted(const Value& value, CType type) const {
    const TypeRecord* record = record_of(type);
    const Value source = decayed(value);
    if (is_pointer(type)) return computed(type, number_of(source).integer);
    if (record == nullptr || (record->kind != TypeKind::kBase && record->kind != TypeKind::kEnumeration)) {
      error("casts go to numbers and pointers");
    }
    Number number = number_of(source);
    if (record->encoding == BaseEncoding::kFloat) {
      return real(record->bits == 32 ? static_cast<double>(static_cast<float>(as_real(number))) : as_real(number));
    }
    if (number.is_real) number = integer(static_cast<uint64_t>(static_cast<int64_t>(number.real)));
    if (record->encoding == BaseEncoding::kBoolean) number.integer = number.integer != 0;
    Thing thing = computed(type, number.integer);
    thing.bytes.resize(size_of(type));
    return thing;
  }

  // --- operators

  Value conditional() {
    Value condition = binary(0);
    if (!take("?")) return condition;
    Value yes = conditional();
    expect(":");
    Value no = conditional();
    return is_true(number_of(condition)) ? yes : no;
  }

  static int precedence(std::string_view operation) {
    constexpr std::string_view kLevels[] = {"||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"};
    for (int level = 0; level < 10; ++level) {
      std::string_view names = kLevels[level];
      while (!names.empty()) {
        const size_t space = std::min(names.find(' '), names.size());
        if (names.substr(0, space) == operation) return level;
        names.remove_prefix(std::min(space + 1, names.size()));
      }
    }
    return -1;
  }

  Value binary(int lowest) {
    Value left = unary();
    while (token().kind == Kind::kOperator) {
      const std::string_view operation = token().text;
      const int level = precedence(operation);
      if (level < lowest) break;
      ++next_;
      left = apply(operation, left, binary(level + 1));
    }
    return left;
  }

  Value apply(std::string_view operation, const Value& raw_left, const Value& raw_right) const {
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

  Value moved(std::string_view operation, const Thing& pointer, const Value& by) const {
    const uint64_t size = std::max<uint64_t>(size_of(pointed_at(pointer.type)), 1);
    if (const Thing* other = as_pointer(by)) {
      if (operation != "-") error("pointers are not added");
      const auto bytes = static_cast<int64_t>(address_in(pointer) - address_in(*other));
      return integer(static_cast<uint64_t>(bytes / static_cast<int64_t>(size)));
    }
    const uint64_t distance = number_of(by).integer * size;
    return computed(pointer.type, address_in(pointer) + (operation == "+" ? distance : 0 - distance));
  }

  Value of_reals(std::string_view operation, double a, double b) const {
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
    error(fmt::format("{} is for integers", operation));
  }

  Value of_integers(std::string_view operation, const Number& left, const Number& right) const {
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

  Value divided(bool quotient, uint64_t a, uint64_t b, bool is_unsigned) const {
    if (b == 0) error("division by zero");
    if (is_unsigned) return integer(quotient ? a / b : a % b, true);
    if (b == ~uint64_t{0}) return integer(quotient ? 0 - a : 0);  // the smallest number has no opposite
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    return integer(static_cast<uint64_t>(quotient ? sa / sb : sa % sb));
  }

  Value unary() {
    if (depth_ == kDeepest) error("this is nested too deep");
    ++depth_;
    Value value = operand();
    --depth_;
    return value;
  }

  Value operand() {
    if (take("*")) return dereferenced(unary());
    if (take("&")) return address_of(unary());
    if (take("-")) {
      const Number number = number_of(unary());
      return number.is_real ? real(-number.real) : integer(0 - number.integer, number.is_unsigned);
    }
    if (take("+")) return number_of(unary());
    if (take("!")) return integer(!is_true(number_of(unary())));
    if (take("~")) {
      const Number number = number_of(unary());
      if (number.is_real) error("~ is for integers");
      return integer(~number.integer, number.is_unsigned);
    }
    if (const std::optional<CType> type = cast()) return converted(unary(), *type);
    return postfix();
  }

  Value dereferenced(const Value& value) const {
    const Value source = decayed(value);
    const Thing* pointer = as_pointer(source);
    if (pointer == nullptr) error("only pointers and arrays point at something");
    const CType target = pointed_at(pointer->type);
    if (target.pointers == 0 && stripped_type(model_, target.record) == kNone) {
      error("nothing is known of what a void* points at; cast it first");
    }
    return at_address(target, address_in(*pointer));
  }

  Value address_of(const Value& value) const {
    const auto* thing = std::get_if<Thing>(&value);
    if (thing == nullptr || !thing->address || thing->bits != 0) error("this has no address");
    return computed(pointer_to(thing->type), *thing->address);
  }

  Value postfix() {
    Value value = primary();
    while (true) {
      if (take("[")) {
        const Value index = conditional();
        expect("]");
        value = dereferenced(apply("+", value, index));
      } else if (take(".")) {
        value = field(value);
      } else if (take("->")) {
        value = field(dereferenced(value));
      } else {
        return value;
      }
    }
  }

  Value field(const Value& value) {
    const auto* thing = std::get_if<Thing>(&value);
    if (token().kind != Kind::kName) error("a field's name is missing");
    const std::string_view name = token().text;
    if (thing == nullptr || thing->type.pointers != 0 || !thing->address) error("only structures have fields");
    const std::optional<FoundField> found = find_field(model_, thing->type.record, name);
    if (!found) error(fmt::format("there is no field {}", name));
    ++next_;
    Thing result = at_address({found->type, 0}, *thing->address + found->offset);
    if (found->bits == 0) return result;
    result.first_bit = found->first_bit;
    result.bits = found->bits;
    const uint64_t bytes = (found->first_bit + found->bits + 7) / 8;
    result.bytes = memory_(*result.address, bytes).value_or(std::vector<std::byte>());
    return result;
  }

  Value primary() {
    const CToken first = token();
    if (take("(")) {
      Value value = conditional();
      expect(")");
      return value;
    }
    switch (first.kind) {
      case Kind::kInteger:
        ++next_;
        return integer(first.integer, first.is_unsigned);
      case Kind::kFloat:
        ++next_;
        return real(first.real);
      case Kind::kName:
        return named(first.text);
      default:
        error(first.kind == Kind::kEnd ? "the expression ends too early"
                                       : fmt::format("`{}` is not expected here", first.text));
    }
  }

  Value named(std::string_view name) {
    if (const std::optional<Object> object = lookup_(name)) {
      ++next_;
      return at_address({object->type, 0}, object->address);
    }
    for (uint32_t type = 0; type < model_.types().size(); ++type) {
      if (model_.type(type).kind != TypeKind::kEnumeration) continue;
      for (const MemberRecord& member : model_.members_of(type)) {
        if (model_.text(member.name) != name) continue;
        ++next_;
        return integer(static_cast<uint64_t>(member.value));
      }
    }
    error(fmt::format("nothing is called {} here", name));
  }

  const ProgramModel& model_;
  std::string_view text_;
  const ObjectLookup& lookup_;
  const MemoryReader& memory_;
  std::vector<CToken> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string value_of_expression(const ProgramModel& model, std::string_view expression, const ObjectLookup& lookup,
                                const MemoryReader& memory, const ValueStyle& style) {
  Evaluator evaluator(model, expression, lookup, memory);
  const Value value = evaluator.evaluate();
  return evaluator.text_of(value, style);
}

}  // namespace culprit::program
