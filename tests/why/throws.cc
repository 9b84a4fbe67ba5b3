// Throws where it meets what it does not expect, and nobody catches it. The token's kind is what is wrong.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Token {
  char kind;
  std::string text;
};

static std::vector<Token> scan(const std::string& input) {
  std::vector<Token> tokens;
  for (const char c : input) {
    if (c == ' ') continue;
    Token token{'n', std::string(1, c)};
    if (c < '0' || c > '9') token.kind = c == '+' ? '+' : '?';
    tokens.push_back(token);
  }
  return tokens;
}

static void expect(const Token& token, char kind) {
  if (token.kind == kind) return;
  throw std::runtime_error("unexpected " + token.text);
}

int main() {
  int sum = 0;
  bool number = true;
  for (const Token& token : scan("1 + 2 - 3")) {
    expect(token, number ? 'n' : '+');
    if (number) sum += std::stoi(token.text);
    number = !number;
  }
  std::printf("%d\n", sum);
}
