#include "program/c_expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/c_tokens.h"
#include "program/c_value.h"

namespace culprit::program {
namespace {

using namespace format;
using Kind = CToken::Kind;

constexpr int kDeepest = 500;  // parentheses and the like

class Evaluator {
 public:
  Evaluator(const ProgramModel& model, std::string_view text, const ObjectLookup& lookup, const MemoryReader& memory)
      : model_(model), text_(text), lookup_(lookup), values_(model, memory), tokens_(c_tokens(text)) {}

  std::string evaluate(const ValueStyle& style) {
    try {
      return values_.text_of(whole(), style);
    } catch (const CValueError& wrong) {
      error(wrong.what());
    }
  }

  MemoryRange memory() {
    try {
      const Value value = whole();
      const auto* thing = std::get_if<Thing>(&value);
      if (!thing || !thing->address) error("this is computed and lies nowhere in memory");
      if (thing->bytes.empty()) error("this memory cannot be read");
      return {*thing->address, thing->bytes.size()};
    } catch (const CValueError& wrong) {
      error(wrong.what());
    }
  }

 private:
  Value whole() {
    Value value = conditional();
    if (token().kind != Kind::kEnd) {
      error(token().text.ends_with('=') ? "nothing is changed here; == compares"
            : is("(")                   ? "no functions are called here"
                                        : fmt::format("`{}` is not expected here", token().text));
    }
    return value;
  }

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
    std::optional<uint32_t> type = values_.type_named(name);
    if (name == "void" && stars != 0) type = kNone;
    if (!type) {
      if (!tagged && stars == 0) return std::nullopt;
      error(fmt::format("the program has no complete type {}", name));
    }
    next_ += ahead + 1;
    CType result{*type, 0};
    for (; stars != 0; --stars) result = values_.pointer_to(result);
    return result;
  }

  Value conditional() {
    Value condition = binary(0);
    if (!take("?")) return condition;
    Value yes = conditional();
    expect(":");
    Value no = conditional();
    return is_true(values_.number_of(condition)) ? yes : no;
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
      left = values_.apply(operation, left, binary(level + 1));
    }
    return left;
  }

  Value unary() {
    if (depth_ == kDeepest) error("this is nested too deep");
    ++depth_;
    Value value = operand();
    --depth_;
    return value;
  }

  Value operand() {
    if (take("*")) return values_.dereferenced(unary());
    if (take("&")) return values_.address_of(unary());
    if (take("-")) {
      const Number number = values_.number_of(unary());
      return number.is_real ? real(-number.real) : integer(0 - number.integer, number.is_unsigned);
    }
    if (take("+")) return values_.number_of(unary());
    if (take("!")) return integer(!is_true(values_.number_of(unary())));
    if (take("~")) {
      const Number number = values_.number_of(unary());
      if (number.is_real) error("~ is for integers");
      return integer(~number.integer, number.is_unsigned);
    }
    if (const std::optional<CType> type = cast()) return values_.converted(unary(), *type);
    return postfix();
  }

  Value postfix() {
    Value value = primary();
    while (true) {
      if (take("[")) {
        const Value index = conditional();
        expect("]");
        value = values_.dereferenced(values_.apply("+", value, index));
      } else if (take(".")) {
        value = field(value);
      } else if (take("->")) {
        value = field(values_.dereferenced(value));
      } else {
        return value;
      }
    }
  }

  Value field(const Value& value) {
    if (token().kind != Kind::kName) error("a field's name is missing");
    Value result = values_.field(value, token().text);
    ++next_;
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
      return values_.at_address({object->type, 0}, object->address);
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
  CValues values_;
  std::vector<CToken> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

MemoryRange memory_of_expression(const ProgramModel& model, std::string_view expression, const ObjectLookup& lookup,
                                 const MemoryReader& memory) {
  return Evaluator(model, expression, lookup, memory).memory();
}

std::string value_of_expression(const ProgramModel& model, std::string_view expression, const ObjectLookup& lookup,
                                const MemoryReader& memory, const ValueStyle& style) {
  return Evaluator(model, expression, lookup, memory).evaluate(style);
}

}  // namespace culprit::program
