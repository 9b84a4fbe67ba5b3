#include <fmt/format.h>

#include <bit>
#include <cstdio>

#include "program/external/conversions.h"
#include "program/external/description.h"

namespace culprit::program::external {
namespace {

constexpr auto kBefore = CalledMemory::When::kBefore;
constexpr uint64_t kLongestFormat = uint64_t{1} << 20;
constexpr int kWidestField = 1 << 20;

Place memory_place(uint64_t address, std::optional<uint64_t> bytes) {
  return {.kind = Place::Kind::kMemory, .address = address, .bytes = bytes};
}

/// "%-08.3ld", taken apart.
struct Conversion {
  std::string flags;
  std::optional<int64_t> width;
  std::optional<int64_t> precision;
  std::string length;  ///< "l", "hh", …
  char kind = 0;
  uint32_t number = 0;  ///< %2$d: takes its argument by number, from 1
};

class PrintfReader {
 public:
  PrintfReader(const Application& application, uint64_t format, VariadicArguments arguments, bool wide)
      : application_(application), address_(format), arguments_(arguments), wide_(wide) {}

  Formatted read() {
    const auto text = format_text(application_, address_, wide_);
    if (!text) {
      result_.looked_at.push_back(memory_place(address_, std::nullopt));
      result_.complete = false;
      return std::move(result_);
    }
    text_ = *text;
    result_.looked_at.push_back(memory_place(address_, (text_.size() + 1) * character_bytes()));
    while (next_ < text_.size() && result_.complete) {
      const size_t percent = std::min(text_.find('%', next_), text_.size());
      if (percent > next_) literal(next_, percent);
      next_ = percent;
      if (next_ < text_.size()) conversion();
    }
    return std::move(result_);
  }

 private:
  uint64_t character_bytes() const { return wide_ ? sizeof(wchar_t) : 1; }

  void literal(size_t begin, size_t end) {
    Piece piece{
        end - begin, true, {memory_place(address_ + begin * character_bytes(), (end - begin) * character_bytes())}};
    if (wide_) piece.bytes.reset();
    result_.pieces.push_back(std::move(piece));
  }

  void conversion() {
    const size_t percent = next_++;
    const Conversion conversion = taken_apart();
    if (conversion.kind == 0 || !arguments_.known()) {
      result_.complete = false;
      return;
    }
    switch (conversion.kind) {
      case '%':
        return literal(percent, percent + 1);
      case 'c':
      case 'C':
        return character(conversion);
      case 's':
      case 'S':
        return string(conversion);
      case 'n':
        return count(conversion);
      case 'm':
        result_.pieces.push_back({std::nullopt, false, {{.kind = Place::Kind::kState, .state = "errno"}}});
        return;
      default:
        return number(conversion);
    }
  }

  /// The number before a '$' here; 0 when there is none.
  uint32_t argument_number() {
    const size_t end = text_.find_first_not_of("0123456789", next_);
    if (end == next_ || end == std::string::npos || text_[end] != '$' || end - next_ > 3) return 0;
    const int number = std::stoi(text_.substr(next_, end - next_));
    next_ = end + 1;
    return static_cast<uint32_t>(number);
  }

  VariadicArgument integer(uint32_t number) { return number == 0 ? arguments_.integer() : arguments_.numbered(number); }

  std::optional<int64_t> field() {
    if (next_ < text_.size() && text_[next_] == '*') {
      ++next_;
      const VariadicArgument argument = integer(argument_number());
      result_.looked_at.push_back(argument.place);
      if (!argument.value) result_.complete = false;
      return argument.value ? static_cast<int32_t>(*argument.value) : 0;
    }
    if (next_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[next_])) == 0) return std::nullopt;
    int64_t value = 0;
    while (next_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next_])) != 0) {
      value = std::min<int64_t>(value * 10 + (text_[next_++] - '0'), kWidestField);
    }
    return value;
  }

  Conversion taken_apart() {
    Conversion conversion;
    const auto take_while = [this](std::string_view set, std::string& into) {
      while (next_ < text_.size() && set.find(text_[next_]) != std::string_view::npos) into += text_[next_++];
    };
    conversion.number = argument_number();
    take_while("-+ #0'I", conversion.flags);
    conversion.width = field();
    if (next_ < text_.size() && text_[next_] == '.') {
      ++next_;
      conversion.precision = field().value_or(0);
    }
    if (conversion.width && *conversion.width < 0) {
      conversion.flags += '-';
      conversion.width = -*conversion.width;
    }
    if (conversion.precision && *conversion.precision < 0) conversion.precision.reset();
    take_while("hlqLjzt", conversion.length);
    if (next_ < text_.size()) conversion.kind = text_[next_++];
    return conversion;
  }

  /// A piece with the blanks that fill its field.
  void padded(const Conversion& conversion, Piece piece) {
    const uint64_t width = static_cast<uint64_t>(conversion.width.value_or(0));
    if (wide_) piece.bytes.reset();
    if (!piece.bytes || *piece.bytes >= width) {
      result_.pieces.push_back(std::move(piece));
      return;
    }
    Piece blanks{width - *piece.bytes, false, {}};
    const bool left = conversion.flags.find('-') != std::string::npos;
    if (!left) result_.pieces.push_back(blanks);
    result_.pieces.push_back(std::move(piece));
    if (left) result_.pieces.push_back(blanks);
  }

  void character(const Conversion& conversion) {
    const VariadicArgument argument = integer(conversion.number);
    if (!arguments_.known()) result_.complete = false;
    const bool is_wide = conversion.kind == 'C' || conversion.length == "l";
    padded(conversion, {is_wide ? std::nullopt : std::optional<uint64_t>(1), !is_wide, {argument.place}});
  }

  void string(const Conversion& conversion) {
    const VariadicArgument argument = integer(conversion.number);
    if (!argument.value) {
      result_.complete = false;
      return;
    }
    if (*argument.value == 0) return padded(conversion, {std::nullopt, false, {argument.place}});
    const bool is_wide = conversion.kind == 'S' || conversion.length == "l";
    const uint64_t most = conversion.precision ? static_cast<uint64_t>(*conversion.precision) : ~uint64_t{0};
    const uint32_t width = is_wide ? sizeof(wchar_t) : 1;
    const auto length = application_.length(kBefore, *argument.value, width, most);
    // The terminator is looked at unless the precision ends the string.
    const auto looked_at = length ? std::optional((*length + (*length < most)) * width) : std::nullopt;
    result_.looked_at.push_back(argument.place);
    if (looked_at != 0) result_.looked_at.push_back(memory_place(*argument.value, looked_at));
    const auto bytes = length ? std::optional(*length * width) : std::nullopt;
    Piece piece{is_wide ? std::nullopt : bytes, !is_wide, {memory_place(*argument.value, bytes)}};
    padded(conversion, std::move(piece));
  }

  void count(const Conversion& conversion) {
    const VariadicArgument argument = integer(conversion.number);
    if (!argument.value) {
      result_.complete = false;
      return;
    }
    const std::string& length = conversion.length;
    const uint64_t bytes = length == "hh" ? 1 : length == "h" ? 2 : length.empty() ? 4 : 8;
    result_.counts.push_back(memory_place(*argument.value, bytes));
  }

  void number(const Conversion& conversion) {
    const bool is_float = std::string_view("aAeEfFgG").find(conversion.kind) != std::string_view::npos;
    const bool is_integer = std::string_view("diouxXpbB").find(conversion.kind) != std::string_view::npos;
    if (!is_float && !is_integer) {
      result_.complete = false;
      return;
    }
    const VariadicArgument argument = conversion.number != 0     ? arguments_.numbered(conversion.number)
                                      : is_integer               ? arguments_.integer()
                                      : conversion.length == "L" ? arguments_.long_double()
                                                                 : arguments_.floating();
    if (!arguments_.known()) {
      result_.complete = false;
      return;
    }
    Piece piece{
        argument.value ? printed_length(conversion, *argument.value, is_float) : std::nullopt, false, {argument.place}};
    if (wide_) piece.bytes.reset();
    result_.pieces.push_back(std::move(piece));
  }

  /// As our own C library prints it; the field's blanks count as made from the number. What depends on the locale is
  /// not known.
  static std::optional<uint64_t> printed_length(const Conversion& conversion, uint64_t value, bool is_float) {
    if (conversion.flags.find_first_of("'I") != std::string::npos) return std::nullopt;
    if (conversion.width.value_or(0) >= kWidestField || conversion.precision.value_or(0) >= kWidestField)
      return std::nullopt;
    const std::string format =
        fmt::format("%{}{}{}{}{}", conversion.flags, conversion.width ? fmt::to_string(*conversion.width) : "",
                    conversion.precision ? fmt::format(".{}", *conversion.precision) : "",
                    is_float || conversion.kind == 'p' ? "" : conversion.length, conversion.kind);
    const int printed = is_float ? std::snprintf(nullptr, 0, format.c_str(), std::bit_cast<double>(value))
                                 : std::snprintf(nullptr, 0, format.c_str(), value);
    return printed < 0 ? std::nullopt : std::optional<uint64_t>(static_cast<uint64_t>(printed));
  }

  const Application& application_;
  uint64_t address_;
  VariadicArguments arguments_;
  bool wide_;
  std::string text_;
  size_t next_ = 0;
  Formatted result_;
};

}  // namespace

std::optional<std::string> format_text(const Application& application, uint64_t address, bool wide) {
  const uint32_t width = wide ? sizeof(wchar_t) : 1;
  const auto length = address == 0 ? std::nullopt : application.length(kBefore, address, width, kLongestFormat);
  if (!length || *length == kLongestFormat) return std::nullopt;
  std::string bytes(*length * width, '\0');
  if (!application.memory.read(kBefore, address, std::as_writable_bytes(std::span(bytes)))) return std::nullopt;
  if (!wide) return bytes;
  std::string text;
  for (size_t index = 0; index < bytes.size(); index += width) {
    const bool ascii = bytes[index + 1] == 0 && bytes[index + 2] == 0 && bytes[index + 3] == 0 && bytes[index] > 0;
    text += ascii ? bytes[index] : '?';
  }
  return text;
}

Formatted printf_pieces(const Application& application, uint64_t format, VariadicArguments arguments, bool wide) {
  return PrintfReader(application, format, arguments, wide).read();
}

}  // namespace culprit::program::external
