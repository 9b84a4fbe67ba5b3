#include "program/c_tokens.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>

#include "base/error.h"

namespace culprit::program {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 32> kOperators = {
    "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
    "/=",  "(",   ")",  "[",  "]",  ".",  "*",  "&",  "+",  "-",  "~",  "!",  "/",  "%",  "<",  ">"};
constexpr std::string_view kMoreOperators = "^|?:=,";

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<CToken> scan() {
    std::vector<CToken> tokens;
    while (true) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      const size_t start = at_;
      CToken token = at_ == text_.size() ? CToken{} : next();
      token.at = start;
      token.text = text_.substr(start, at_ - start);
      tokens.push_back(token);
      if (token.kind == CToken::Kind::kEnd) return tokens;
    }
  }

 private:
  CToken next() {
    const char first = text_[at_];
    const bool dot_number =
        first == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1]));
    if (std::isdigit(static_cast<unsigned char>(first)) || dot_number) return number();
    if (first == '\'') return character();
    if (is_name_start(first)) return name();
    for (const std::string_view each : kOperators) {
      if (text_.substr(at_).starts_with(each)) return operation(each.size());
    }
    if (kMoreOperators.find(first) != std::string_view::npos) return operation(1);
    expression_error(text_, at_, fmt::format("`{}` has no meaning here", first));
  }

  CToken operation(size_t size) {
    at_ += size;
    CToken token;
    token.kind = CToken::Kind::kOperator;
    return token;
  }

  /// A name with its qualification.
  CToken name() {
    while (true) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      const bool qualifies =
          text_.substr(at_).starts_with("::") && at_ + 2 < text_.size() && is_name_start(text_[at_ + 2]);
      if (!qualifies) break;
      at_ += 2;
    }
    CToken token;
    token.kind = CToken::Kind::kName;
    return token;
  }

  CToken number() {
    CToken token;
    const char* end = text_.data() + text_.size();
    const char* begin = text_.data() + at_;
    const bool hexadecimal = text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X");
    size_t digits = at_;
    while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits]))) ++digits;
    const bool real =
        !hexadecimal && digits < text_.size() && std::string_view(".eE").find(text_[digits]) != std::string_view::npos;
    if (real) {
      const auto [stop, error] = std::from_chars(begin, end, token.real);
      if (error != std::errc()) expression_error(text_, at_, "this number does not fit");
      token.kind = CToken::Kind::kFloat;
      at_ += static_cast<size_t>(stop - begin);
      if (at_ < text_.size() && std::string_view("fFlL").find(text_[at_]) != std::string_view::npos) ++at_;
    } else {
      const bool octal = !hexadecimal && *begin == '0' && digits - at_ > 1;
      const auto [stop, error] = std::from_chars(begin + (hexadecimal ? 2 : 0), end, token.integer,
                                                 hexadecimal ? 16
                                                 : octal     ? 8
                                                             : 10);
      if (error != std::errc()) expression_error(text_, at_, "this number does not fit 64 bits");
      token.kind = CToken::Kind::kInteger;
      at_ += static_cast<size_t>(stop - begin);
      while (at_ < text_.size() && std::string_view("uUlL").find(text_[at_]) != std::string_view::npos) {
        token.is_unsigned |= text_[at_] == 'u' || text_[at_] == 'U';
        ++at_;
      }
      token.is_unsigned |= token.integer >> 63 != 0;
    }
    if (at_ < text_.size() && is_name_part(text_[at_])) expression_error(text_, at_, "a number ends otherwise");
    return token;
  }

  CToken character() {
    const std::string_view rest = text_.substr(at_);
    CToken token;
    token.kind = CToken::Kind::kInteger;
    if (rest.size() >= 3 && rest[1] != '\\' && rest[1] != '\'' && rest[2] == '\'') {
      token.integer = static_cast<uint64_t>(static_cast<int64_t>(rest[1]));
      at_ += 3;
      return token;
    }
    constexpr std::string_view kNames = "0abfnrtv\\'\"", kCodes = {"\0\a\b\f\n\r\t\v\\'\"", 11};
    if (rest.size() >= 4 && rest[1] == '\\' && rest[3] == '\'') {
      const size_t which = kNames.find(rest[2]);
      if (which != std::string_view::npos) {
        token.integer = static_cast<uint64_t>(kCodes[which]);
        at_ += 4;
        return token;
      }
    }
    expression_error(text_, at_, "a character is written 'a' or '\\n'");
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<CToken> c_tokens(std::string_view expression) {
  return Scanner(expression).scan();
}

void expression_error(std::string_view expression, size_t at, const std::string& what) {
  throw UserError(fmt::format("in `{}`, at {}: {}", expression, at + 1, what),
                  "C's operators that change nothing are known: total + 1, list->head[2].name, *(struct order*)p");
}

}  // namespace culprit::program
