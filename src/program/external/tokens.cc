#include "program/external/tokens.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>

namespace culprit::program::external {
namespace {

/// Longer marks first.
constexpr std::array<std::string_view, 25> kMarks{"...", "->", "==", "!=", "<=", ">=", "&&", "||", "(",
                                                  ")",   "[",  "]",  ",",  ":",  ";",  "?",  "@",  "'",
                                                  "+",   "-",  "*",  "/",  "<",  ">",  "!"};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

class Cutter {
 public:
  explicit Cutter(std::string_view line) : rest_(line) {}

  Token next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    if (starts_name(rest_.front())) return name();
    if (std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) return number();
    if (rest_.front() == '"') return text();
    for (const std::string_view mark : kMarks) {
      if (!rest_.starts_with(mark)) continue;
      rest_.remove_prefix(mark.size());
      return {Token::Kind::kMark, std::string(mark)};
    }
    throw LineError(fmt::format("unexpected character '{}'", rest_.front()));
  }

 private:
  Token name() {
    size_t length = 1;
    while (length < rest_.size() && continues_name(rest_[length])) ++length;
    const Token token{Token::Kind::kName, std::string(rest_.substr(0, length))};
    rest_.remove_prefix(length);
    return token;
  }

  Token number() {
    Token token{Token::Kind::kNumber, {}};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), token.number);
    const auto length = static_cast<size_t>(end - rest_.data());
    if (error != std::errc() || (length < rest_.size() && starts_name(rest_[length]))) {
      throw LineError("a number is decimal and fits 63 bits");
    }
    token.text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return token;
  }

  Token text() {
    Token token{Token::Kind::kText, {}};
    for (size_t index = 1; index < rest_.size(); ++index) {
      char c = rest_[index];
      if (c == '"') {
        rest_.remove_prefix(index + 1);
        return token;
      }
      if (c == '\\' && ++index < rest_.size()) c = rest_[index] == 'n' ? '\n' : rest_[index];
      token.text += c;
    }
    throw LineError("a text has no end");
  }

  std::string_view rest_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  Cutter cutter(line);
  do {
    tokens.push_back(cutter.next());
  } while (tokens.back().kind != Token::Kind::kEnd);
  return tokens;
}

}  // namespace culprit::program::external
