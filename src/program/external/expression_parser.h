// Expressions of the table of external functions, read from their words.
#pragma once

#include <string_view>
#include <vector>

#include "program/external/description.h"
#include "program/external/tokens.h"

namespace culprit::program::external {

/// A line's words with a place among them.
class TokenReader {
 public:
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  Token take() { return next_ + 1 < tokens_.size() ? tokens_[next_++] : tokens_.back(); }
  bool is_mark(std::string_view mark, size_t ahead = 0) const;
  bool is_name(std::string_view name, size_t ahead = 0) const;
  /// Takes the word if it is this one.
  bool accept(std::string_view word);
  /// Throws LineError when the next word is another.
  void expect(std::string_view word);
  bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  std::string expect_name(std::string_view what);

 private:
  std::vector<Token> tokens_;
  size_t next_ = 0;
};

/// Reads expressions over one function's parameters. All throw LineError.
class ExpressionParser {
 public:
  ExpressionParser(TokenReader& reader, const std::vector<Parameter>& parameters)
      : reader_(reader), parameters_(parameters) {}

  Expression expression();
  /// An operand: a name, a number, a call, a load, or something in parentheses.
  Expression operand();
  /// What stands between the brackets of ADDRESS[…], where `str` means the string at `address` with its terminator.
  Expression size(const Expression& address);
  /// A parameter's index.
  uint32_t parameter(const std::string& name) const;

 private:
  Expression junction();
  Expression conjunction();
  Expression comparison();
  Expression sum();
  Expression product();
  Expression call(const std::string& name);
  Expression string_bytes(bool wide);

  TokenReader& reader_;
  const std::vector<Parameter>& parameters_;
  const Expression* sized_ = nullptr;  ///< the address whose brackets are being read
};

Expression number_expression(int64_t number);

}  // namespace culprit::program::external
