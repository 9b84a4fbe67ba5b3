#include "depend/scanned_text.h"

#include <algorithm>
#include <cctype>

namespace culprit::depend {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

struct Conversion {
  bool assigns = true;
  uint64_t width = 0;  ///< 0: none given
  char letter = 0;
  std::string_view set = {};  ///< of %[, between the brackets
};

class Scanner {
 public:
  Scanner(std::string_view format, std::string_view text, uint64_t from) : format_(format), text_(text), at_(from) {}

  ScannedText scan() {
    bool matches = true;
    while (matches && next_ < format_.size()) {
      const char c = format_[next_++];
      if (is_space(c)) {
        skip_spaces();
      } else if (c != '%') {
        matches = take(c);
      } else if (format_.substr(next_, 1) == "%") {
        ++next_;
        skip_spaces();
        matches = take('%');
      } else {
        matches = convert(conversion());
      }
    }
    return {std::move(parts_), at_};
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  Conversion conversion() {
    Conversion result;
    while (next_ < format_.size()) {
      const char c = format_[next_++];
      if (c == '*') {
        result.assigns = false;
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        result.width = result.width * 10 + static_cast<uint64_t>(c - '0');
      } else if (std::string_view("hljztLqm'").find(c) == std::string_view::npos) {
        result.letter = c;
        break;
      }
    }
    if (result.letter == '[') {
      size_t end = next_;
      if (format_.substr(end, 1) == "^") ++end;
      if (format_.substr(end, 1) == "]") ++end;
      end = std::min(format_.find(']', end), format_.size());
      result.set = format_.substr(next_, end - next_);
      next_ = std::min(end + 1, format_.size());
    }
    return result;
  }

  bool convert(const Conversion& conversion) {
    const char letter = conversion.letter;
    if (letter == 'n') return true;
    const bool keeps_spaces = letter == 'c' || letter == '[' || letter == 'C';
    if (!keeps_spaces) skip_spaces();
    const uint64_t first = at_;
    const uint64_t most = conversion.width != 0 ? conversion.width : letter == 'c' ? 1 : text_.size();
    const bool is_text = keeps_spaces || letter == 's' || letter == 'S';
    while (at_ < text_.size() && at_ - first < most &&
           goes_on(conversion, text_.substr(first, at_ - first), text_[at_])) {
      ++at_;
    }
    if (at_ == first) return false;
    if (conversion.assigns) parts_.push_back({first, at_ - first, is_text});
    return true;
  }

  static bool goes_on(const Conversion& conversion, std::string_view so_far, char c) {
    switch (conversion.letter) {
      case 'c':
      case 'C':
        return true;
      case 's':
      case 'S':
        return !is_space(c);
      case '[':
        return is_in_set(conversion.set, c);
      case 'd':
      case 'u':
        return goes_on_in_number(so_far, c, false);
      case 'i':
        return goes_on_in_number(so_far, c, so_far.find_first_of("xX") != std::string_view::npos) ||
               is_prefix(so_far, c);
      case 'x':
      case 'X':
      case 'o':
      case 'p':
        return goes_on_in_number(so_far, c, true) || is_prefix(so_far, c);
      default:
        return goes_on_in_fraction(so_far, c);
    }
  }

  static bool is_in_set(std::string_view set, char c) {
    const bool negated = set.starts_with('^');
    if (negated) set.remove_prefix(1);
    bool found = false;
    for (size_t each = 0; each < set.size(); ++each) {
      if (each + 2 < set.size() && set[each + 1] == '-') {
        found = found || (set[each] <= c && c <= set[each + 2]);
        each += 2;
      } else {
        found = found || set[each] == c;
      }
    }
    return found != negated;
  }

  static bool goes_on_in_number(std::string_view so_far, char c, bool hexadecimal) {
    if (c == '+' || c == '-') return so_far.empty();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return true;
    return hexadecimal && std::isxdigit(static_cast<unsigned char>(c)) != 0;
  }

  /// The x of 0x.
  static bool is_prefix(std::string_view so_far, char c) {
    if (!so_far.empty() && (so_far.front() == '+' || so_far.front() == '-')) so_far.remove_prefix(1);
    return (c == 'x' || c == 'X') && so_far == "0";
  }

  static bool goes_on_in_fraction(std::string_view so_far, char c) {
    const bool behind_exponent = !so_far.empty() && (so_far.back() == 'e' || so_far.back() == 'E');
    if (c == '+' || c == '-') return so_far.empty() || behind_exponent;
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
  }

  std::string_view format_, text_;
  size_t next_ = 0;
  uint64_t at_;
  std::vector<ScannedPart> parts_;
};

}  // namespace

ScannedText scan_text(std::string_view format, std::string_view text, uint64_t from) {
  return Scanner(format, text, from).scan();
}

}  // namespace culprit::depend
