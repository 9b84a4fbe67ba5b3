#include <algorithm>
#include <cctype>

#include "program/external/conversions.h"

namespace culprit::program::external {
namespace {

constexpr auto kAfter = CalledMemory::When::kAfter;

Place memory_place(uint64_t address, std::optional<uint64_t> bytes) {
  return {.kind = Place::Kind::kMemory, .address = address, .bytes = bytes};
}

class ScanfReader {
 public:
  ScanfReader(const Application& application, VariadicArguments arguments, bool wide)
      : application_(application), arguments_(arguments), wide_(wide) {
    // EOF and a result that is not known mean: nothing assigned, and anything may have been.
    const auto result = application.result();
    assigned_ = result ? std::max<int64_t>(0, static_cast<int32_t>(*result)) : 0;
    if (!result) result_.complete = false;
  }

  Scanned read(uint64_t format) {
    const auto text = format_text(application_, format, wide_);
    if (!text) {
      result_.looked_at.push_back(memory_place(format, std::nullopt));
      result_.complete = false;
      return std::move(result_);
    }
    text_ = *text;
    result_.looked_at.push_back(memory_place(format, (text_.size() + 1) * (wide_ ? sizeof(wchar_t) : 1)));
    // Once all that was assigned has been met, only %n may follow.
    while (next_ < text_.size() && result_.complete && assigned_ >= 0) {
      if (text_[next_++] == '%') conversion();
    }
    return std::move(result_);
  }

 private:
  void conversion() {
    if (text_.substr(next_, 1) == "%") {
      ++next_;
      return;
    }
    bool suppressed = false;
    bool allocating = false;
    uint64_t width = 0;
    std::string length;
    for (; next_ < text_.size(); ++next_) {
      const char c = text_[next_];
      if (c == '*') {
        suppressed = true;
      } else if (c == 'm') {
        allocating = true;
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        width = std::min<uint64_t>(width * 10 + static_cast<uint64_t>(c - '0'), uint64_t{1} << 30);
      } else if (c == '$') {
        result_.complete = false;
        return;
      } else if (std::string_view("hlqLjzt").find(c) != std::string_view::npos) {
        length += c;
      } else if (c != '\'') {
        break;
      }
    }
    if (next_ >= text_.size()) return;
    const char kind = text_[next_++];
    if (kind == '[') skip_set();
    if (suppressed) return;
    const VariadicArgument argument = arguments_.integer();
    if (!argument.value) {
      result_.complete = false;
      return;
    }
    if (kind != 'n' && assigned_-- == 0) return;
    assign(kind, length, width, allocating, *argument.value);
  }

  void skip_set() {
    if (text_.substr(next_, 1) == "^") ++next_;
    if (text_.substr(next_, 1) == "]") ++next_;
    next_ = std::min(text_.find(']', next_), text_.size() - 1) + 1;
  }

  void assign(char kind, const std::string& length, uint64_t width, bool allocating, uint64_t address) {
    const bool text = kind == 's' || kind == '[' || kind == 'S';
    if (!text && kind != 'c' && kind != 'C') {
      result_.targets.push_back(memory_place(address, number_bytes(kind, length)));
      return;
    }
    if (allocating) {
      result_.targets.push_back(memory_place(address, 8));
      const auto block = application_.load(kAfter, address, 8);
      if (!block) result_.complete = false;
      address = block.value_or(0);
    }
    const uint32_t character = kind == 'S' || kind == 'C' || length == "l" ? sizeof(wchar_t) : 1;
    std::optional<uint64_t> characters = std::max<uint64_t>(width, 1);
    if (text) {
      characters = application_.length(kAfter, address, character, ~uint64_t{0});
      // Where its length is not known, no more than the width was written.
      if (characters || width > 0) characters = characters.value_or(width) + 1;
    }
    const Place target = memory_place(address, characters ? std::optional(*characters * character) : std::nullopt);
    if (address == 0) return;
    if (allocating) result_.allocated.push_back(target);
    result_.targets.push_back(target);
  }

  static uint64_t number_bytes(char kind, const std::string& length) {
    if (std::string_view("aAeEfFgG").find(kind) != std::string_view::npos) {
      return length.empty() ? 4 : length == "l" ? 8 : 10;  // a long double's bytes 10 to 15 stay as they are
    }
    if (kind == 'p') return 8;
    return length == "hh" ? 1 : length == "h" ? 2 : length.empty() ? 4 : 8;
  }

  const Application& application_;
  VariadicArguments arguments_;
  bool wide_;
  int64_t assigned_ = 0;  ///< conversions that still get their target; negative: one more did not
  std::string text_;
  size_t next_ = 0;
  Scanned result_;
};

}  // namespace

Scanned scanf_targets(const Application& application, uint64_t format, VariadicArguments arguments, bool wide) {
  return ScanfReader(application, arguments, wide).read(format);
}

}  // namespace culprit::program::external
