#include "program/external/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/external/sizes.h"

namespace culprit::program::external {
namespace {

struct Function {
  std::string_view name;
  Operation operation;
  size_t least, most;  ///< arguments
};

constexpr Function kFunctions[] = {
    {"len", Operation::kLength, 1, 2},
    {"wlen", Operation::kWideLength, 1, 2},
    {"same", Operation::kEqualLength, 2, 3},
    {"samecase", Operation::kEqualFoldLength, 2, 3},
    {"samebytes", Operation::kEqualBytes, 3, 3},
    {"wsame", Operation::kWideEqualLength, 2, 3},
    {"span", Operation::kSpan, 2, 2},
    {"spannot", Operation::kSpanNot, 2, 2},
    {"numeral", Operation::kNumberLength, 1, 1},
    {"found", Operation::kFound, 2, 2},
    {"block", Operation::kBlock, 1, 1},
    {"int", Operation::kLoadInt, 1, 1},
    {"byteat", Operation::kLoadByte, 1, 1},
    {"min", Operation::kMinimum, 2, 2},
    {"max", Operation::kMaximum, 2, 2},
};

Expression made(Operation operation, std::vector<Expression> operands, bool after = false) {
  return {.operation = operation, .after = after, .number = 0, .name = {}, .operands = std::move(operands)};
}

std::string shown(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the line" : fmt::format("'{}'", token.text);
}

}  // namespace

Expression number_expression(int64_t number) {
  return {.operation = Operation::kNumber, .after = false, .number = number, .name = {}, .operands = {}};
}

bool TokenReader::is_mark(std::string_view mark, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::kMark && peek(ahead).text == mark;
}

bool TokenReader::is_name(std::string_view name, size_t ahead) const {
  return peek(ahead).kind == Token::Kind::kName && peek(ahead).text == name;
}

bool TokenReader::accept(std::string_view word) {
  if (!is_mark(word) && !is_name(word)) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view word) {
  if (!accept(word)) throw LineError(fmt::format("expected '{}' instead of {}", word, shown(peek())));
}

std::string TokenReader::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::kName) throw LineError(fmt::format("expected {} instead of {}", what, shown(peek())));
  return take().text;
}

uint32_t ExpressionParser::parameter(const std::string& name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  if (found == parameters_.end()) throw LineError(fmt::format("no parameter is called '{}'", name));
  return static_cast<uint32_t>(found - parameters_.begin());
}

Expression ExpressionParser::expression() {
  Expression condition = junction();
  if (!reader_.accept("?")) return condition;
  Expression yes = expression();
  reader_.expect(":");
  return made(Operation::kChoose, {std::move(condition), std::move(yes), expression()});
}

Expression ExpressionParser::junction() {
  Expression left = conjunction();
  while (reader_.accept("||")) left = made(Operation::kOr, {std::move(left), conjunction()});
  return left;
}

Expression ExpressionParser::conjunction() {
  Expression left = comparison();
  while (reader_.accept("&&")) left = made(Operation::kAnd, {std::move(left), comparison()});
  return left;
}

Expression ExpressionParser::comparison() {
  Expression left = sum();
  if (reader_.accept("==")) return made(Operation::kEqual, {std::move(left), sum()});
  if (reader_.accept("!=")) return made(Operation::kUnequal, {std::move(left), sum()});
  if (reader_.accept("<")) return made(Operation::kLess, {std::move(left), sum()});
  if (reader_.accept("<=")) return made(Operation::kLessEqual, {std::move(left), sum()});
  if (reader_.accept(">")) return made(Operation::kLess, {sum(), std::move(left)});
  if (reader_.accept(">=")) return made(Operation::kLessEqual, {sum(), std::move(left)});
  return left;
}

Expression ExpressionParser::sum() {
  Expression left = product();
  while (true) {
    if (reader_.accept("+")) {
      left = made(Operation::kAdd, {std::move(left), product()});
    } else if (reader_.accept("-")) {
      left = made(Operation::kSubtract, {std::move(left), product()});
    } else {
      return left;
    }
  }
}

Expression ExpressionParser::product() {
  Expression left = operand();
  while (true) {
    if (reader_.accept("*")) {
      left = made(Operation::kMultiply, {std::move(left), operand()});
    } else if (reader_.accept("/")) {
      left = made(Operation::kDivide, {std::move(left), operand()});
    } else {
      return left;
    }
  }
}

Expression ExpressionParser::operand() {
  if (reader_.accept("!")) return made(Operation::kNot, {operand()});
  if (reader_.accept("-")) return made(Operation::kSubtract, {number_expression(0), operand()});
  if (reader_.accept("*")) {
    const bool after = reader_.accept("'");
    return made(Operation::kLoad, {operand()}, after);
  }
  if (reader_.accept("(")) {
    Expression inner = expression();
    reader_.expect(")");
    return inner;
  }
  if (reader_.peek().kind == Token::Kind::kNumber) return number_expression(reader_.take().number);
  const std::string name = reader_.expect_name("an operand");
  if (name == "ret") return made(Operation::kResult, {});
  if (sized_ != nullptr && (name == "str" || name == "wstr")) return string_bytes(name == "wstr");
  if (reader_.is_mark("(") || reader_.is_mark("'")) return call(name);
  if (name == "stdin" || name == "stdout" || name == "stderr") {
    Expression variable = made(Operation::kVariable, {});
    variable.name = name;
    return variable;
  }
  Expression argument = made(Operation::kArgument, {});
  argument.number = parameter(name);
  return argument;
}

Expression ExpressionParser::call(const std::string& name) {
  const bool after = reader_.accept("'");
  reader_.expect("(");
  if (name == "sizeof") {
    const std::string structure = reader_.expect_name("a structure's name");
    reader_.expect(")");
    const auto bytes = size_of_structure(structure);
    if (!bytes) throw LineError(fmt::format("the size of '{}' is not known", structure));
    return number_expression(static_cast<int64_t>(*bytes));
  }
  std::vector<Expression> operands;
  do {
    operands.push_back(expression());
  } while (reader_.accept(","));
  reader_.expect(")");
  for (const Function& function : kFunctions) {
    if (function.name != name) continue;
    if (operands.size() < function.least || operands.size() > function.most) {
      throw LineError(fmt::format("'{}' does not take {} operands", name, operands.size()));
    }
    return made(function.operation, std::move(operands), after);
  }
  throw LineError(fmt::format("there is no function '{}'", name));
}

Expression ExpressionParser::size(const Expression& address) {
  sized_ = &address;
  Expression size = expression();
  sized_ = nullptr;
  return size;
}

Expression ExpressionParser::string_bytes(bool wide) {
  const bool after = reader_.accept("'");
  Expression length = made(wide ? Operation::kWideLength : Operation::kLength, {*sized_}, after);
  Expression with_end = made(Operation::kAdd, {std::move(length), number_expression(1)});
  if (!wide) return with_end;
  return made(Operation::kMultiply, {std::move(with_end), number_expression(sizeof(wchar_t))});
}

}  // namespace culprit::program::external
