#include "program/print_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "format/undefined_values.h"
#include "program/type_name.h"

namespace culprit::program {
namespace {

using namespace format;
using Bytes = std::span<const std::byte>;

constexpr int kDeepestField = 8;
constexpr size_t kMostBytesRead = size_t{1} << 20;
constexpr const char* kUnknown = "?";
constexpr const char* kMore = "…";
constexpr const char* kNeverWritten = "never written";

/// Little-endian, `bits` wide from bit `first`; up to 64 bits.
uint64_t bits_of(Bytes bytes, uint64_t first, uint64_t bits) {
  uint64_t value = 0;
  for (uint64_t bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<uint64_t>(bytes[(first + bit) / 8]);
    value |= (byte >> (first + bit) % 8 & 1) << bit;
  }
  return value;
}

int64_t sign_extended(uint64_t value, uint64_t bits) {
  if (bits == 0 || bits >= 64) return static_cast<int64_t>(value);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int64_t>((value ^ sign) - sign);
}

std::string escaped(unsigned char character, char quote) {
  switch (character) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\0':
      return "\\0";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (character == static_cast<unsigned char>(quote)) return fmt::format("\\{}", quote);
  if (character < 0x20 || character == 0x7f) return fmt::format("\\x{:02x}", character);
  return std::string(1, static_cast<char>(character));
}

class Printer {
 public:
  Printer(const ProgramModel& model, const MemoryReader& memory, const ValueStyle& style)
      : model_(model), memory_(memory), style_(style) {}

  std::string print(uint32_t declared, Bytes bytes, int depth) const {
    const uint32_t type = stripped_type(model_, declared);
    if (type == kNone) return "void";
    const TypeRecord& record = model_.type(type);
    if (record.bits == 0 && record.kind != TypeKind::kArray) return record.flags & kTypeIncomplete ? "{…}" : kUnknown;
    const uint64_t size = (record.bits + 7) / 8;
    if (bytes.size() < size) return kUnknown;
    bytes = bytes.first(size);
    if (style_.tells_unwritten && is_unwritten(bytes)) return unwritten(record, bytes);
    switch (record.kind) {
      case TypeKind::kBase:
        return base(record, bytes, record.bits, 0);
      case TypeKind::kEnumeration:
        return enumerator(type, bits_of(bytes, 0, std::min<uint64_t>(record.bits, 64)));
      case TypeKind::kPointer:
        return pointer(record, bytes);
      case TypeKind::kReference:
      case TypeKind::kRvalueReference:
        return reference(record, bytes, depth);
      case TypeKind::kArray:
      case TypeKind::kVector:
        return array(record, bytes, depth);
      case TypeKind::kStruct:
      case TypeKind::kClass:
        return structure(type, bytes, depth);
      case TypeKind::kUnion:
        return fields(type, bytes, depth);
      default:
        return raw(bytes);
    }
  }

 private:
  static bool is_unwritten(Bytes bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each == std::byte{kUnwrittenByte}; });
  }

  /// Small numbers and masks may be like it by themselves.
  static std::string unwritten(const TypeRecord& type, Bytes bytes) {
    const bool is_mask = type.encoding == BaseEncoding::kUnsigned && bytes.size() <= sizeof(uint64_t);
    const bool is_small = type.encoding != BaseEncoding::kBoolean && bytes.size() <= sizeof(uint16_t);
    if (type.kind != TypeKind::kBase || (!is_mask && !is_small)) return kNeverWritten;
    return fmt::format("{} (or {})", kNeverWritten, base(type, bytes, type.bits, 0));
  }

  static std::string raw(Bytes bytes) {
    std::string text = "0x";
    for (size_t at = bytes.size(); at-- > 0;) text += fmt::format("{:02x}", static_cast<unsigned>(bytes[at]));
    return text;
  }

  /// `bits` from bit `first`; fewer than the type has in a bit-field.
  static std::string base(const TypeRecord& type, Bytes bytes, uint64_t bits, uint64_t first) {
    if (type.encoding == BaseEncoding::kFloat) return floating(bytes);
    if (type.encoding == BaseEncoding::kComplex) {
      const Bytes real = bytes.first(bytes.size() / 2), imaginary = bytes.last(bytes.size() / 2);
      return fmt::format("{} + {}i", floating(real), floating(imaginary));
    }
    if (bits > 64) return raw(bytes);
    const uint64_t value = bits_of(bytes, first, bits);
    switch (type.encoding) {
      case BaseEncoding::kBoolean:
        return value == 0 ? "false" : value == 1 ? "true" : fmt::format("{}", value);
      case BaseEncoding::kSigned:
        return fmt::format("{}", sign_extended(value, bits));
      case BaseEncoding::kUnsigned:
        return fmt::format("{}", value);
      case BaseEncoding::kSignedCharacter:
      case BaseEncoding::kUnsignedCharacter:
        return value < 0x80 ? fmt::format("'{}'", escaped(static_cast<unsigned char>(value), '\''))
               : type.encoding == BaseEncoding::kSignedCharacter ? fmt::format("{}", sign_extended(value, bits))
                                                                 : fmt::format("{}", value);
      case BaseEncoding::kUnicodeCharacter:
        return fmt::format("U+{:04X}", value);
      default:
        return raw(bytes);
    }
  }

  static std::string floating(Bytes bytes) {
    const auto as = [&bytes](auto value) {
      std::memcpy(&value, bytes.data(), std::min(sizeof(value), bytes.size()));
      return fmt::format("{}", value);
    };
    switch (bytes.size()) {
      case sizeof(float):
        return as(float{});
      case sizeof(double):
        return as(double{});
      case sizeof(long double):
        return as(0.0L);
      default:
        return raw(bytes);
    }
  }

  std::string enumerator(uint32_t type, uint64_t value) const {
    const uint64_t bits = std::min<uint64_t>(model_.type(type).bits, 64);
    const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (const MemberRecord& member : model_.members_of(type)) {
      if ((static_cast<uint64_t>(member.value) & mask) == (value & mask)) return std::string(model_.text(member.name));
    }
    // Flags or'ed together.
    std::string names;
    uint64_t rest = value;
    for (const MemberRecord& member : model_.members_of(type)) {
      const auto flag = static_cast<uint64_t>(member.value) & mask;
      if (flag == 0 || (rest & flag) != flag) continue;
      names += fmt::format("{}{}", names.empty() ? "" : " | ", model_.text(member.name));
      rest &= ~flag;
    }
    return rest == 0 && !names.empty() ? names : fmt::format("{}", sign_extended(value, bits));
  }

  bool is_character(uint32_t declared) const {
    const uint32_t type = stripped_type(model_, declared);
    if (type == kNone || model_.type(type).kind != TypeKind::kBase || model_.type(type).bits != 8) return false;
    const BaseEncoding encoding = model_.type(type).encoding;
    return encoding == BaseEncoding::kSignedCharacter || encoding == BaseEncoding::kUnsignedCharacter;
  }

  /// What is before the first zero byte, in quotes.
  std::string quoted(Bytes bytes, bool ends_at_zero) const {
    std::string text = "\"";
    for (size_t at = 0; at < bytes.size() && !(ends_at_zero && bytes[at] == std::byte{0}); ++at) {
      if (at == style_.most_characters) return text + "\"" + kMore;
      text += escaped(static_cast<unsigned char>(bytes[at]), '"');
    }
    return text + "\"";
  }

  std::optional<std::vector<std::byte>> read(uint64_t address, size_t bytes) const {
    if (!memory_ || address == 0 || bytes > kMostBytesRead) return std::nullopt;
    auto contents = memory_(address, bytes);
    return contents && contents->size() == bytes ? contents : std::nullopt;
  }

  /// Bytes up to a zero byte; asks for less and less, since a page behind the string may be missing.
  std::optional<std::vector<std::byte>> read_string(uint64_t address) const {
    for (size_t size = style_.most_characters + 1; size > 0; size /= 2) {
      if (auto contents = read(address, size)) return contents;
    }
    return std::nullopt;
  }

  std::string pointer(const TypeRecord& type, Bytes bytes) const {
    const uint64_t address = bits_of(bytes, 0, std::min<uint64_t>(type.bits, 64));
    const std::string number = fmt::format("0x{:x}", address);
    if (!is_character(type.base)) return number;
    const auto contents = read_string(address);
    return contents ? fmt::format("{} {}", number, quoted(*contents, true)) : number;
  }

  std::string reference(const TypeRecord& type, Bytes bytes, int depth) const {
    const uint64_t address = bits_of(bytes, 0, std::min<uint64_t>(type.bits, 64));
    const uint32_t target = stripped_type(model_, type.base);
    const auto contents = target == kNone ? std::nullopt : read(address, (model_.type(target).bits + 7) / 8);
    if (!contents || depth >= style_.deepest) return fmt::format("@0x{:x}", address);
    return fmt::format("@0x{:x} {}", address, print(type.base, *contents, depth + 1));
  }

  std::string elements(uint32_t element, Bytes bytes, uint64_t count, int depth) const {
    const uint32_t type = stripped_type(model_, element);
    const uint64_t size = type == kNone ? 0 : (model_.type(type).bits + 7) / 8;
    if (size == 0 || depth > style_.deepest) return "{…}";
    std::string text = "{";
    for (uint64_t each = 0; each < count; ++each) {
      if (each != 0) text += ", ";
      if (each == style_.most_elements || bytes.size() / size <= each) return text + kMore + "}";
      text += print(element, bytes.subspan(each * size, size), depth + 1);
    }
    return text + "}";
  }

  std::string array(const TypeRecord& type, Bytes bytes, int depth) const {
    if (type.count == kUnknownCount) return "{…}";
    return is_character(type.base) ? quoted(bytes, true) : elements(type.base, bytes, type.count, depth);
  }

  std::string structure(uint32_t type, Bytes bytes, int depth) const {
    const std::string_view name = model_.text(model_.type(type).name);
    if (name.starts_with("std::")) {
      if (name.find("basic_string<char,") != std::string_view::npos) {
        if (auto text = library_string(type, bytes)) return *text;
      }
      if (name.starts_with("std::vector<") && name.find("vector<bool") == std::string_view::npos) {
        if (auto text = library_vector(type, bytes, depth)) return *text;
      }
    }
    return fields(type, bytes, depth);
  }

  std::optional<uint64_t> word_at(uint32_t type, Bytes bytes, std::string_view name) const {
    const auto field = find_field(model_, type, name);
    if (!field || field->offset + 8 > bytes.size()) return std::nullopt;
    return bits_of(bytes, field->offset * 8, 64);
  }

  std::optional<std::string> library_string(uint32_t type, Bytes bytes) const {
    const auto start = word_at(type, bytes, "_M_p"), length = word_at(type, bytes, "_M_string_length");
    if (!start || !length) return std::nullopt;
    const uint64_t shown = std::min<uint64_t>(*length, style_.most_characters + 1);
    if (shown == 0) return "\"\"";
    const auto contents = read(*start, shown);
    return contents ? std::optional(quoted(*contents, false)) : std::nullopt;
  }

  std::optional<std::string> library_vector(uint32_t type, Bytes bytes, int depth) const {
    const auto start = word_at(type, bytes, "_M_start"), finish = word_at(type, bytes, "_M_finish");
    const auto field = find_field(model_, type, "_M_start");
    if (!start || !finish || *finish < *start) return std::nullopt;
    const uint32_t pointer = stripped_type(model_, field->type);
    if (pointer == kNone || model_.type(pointer).kind != TypeKind::kPointer) return std::nullopt;
    const uint32_t element = model_.type(pointer).base;
    const uint32_t stripped = stripped_type(model_, element);
    const uint64_t size = stripped == kNone ? 0 : (model_.type(stripped).bits + 7) / 8;
    if (size == 0 || size > kMostBytesRead || (*finish - *start) % size != 0) return std::nullopt;
    const uint64_t count = (*finish - *start) / size;
    if (count == 0) return "{}";
    const auto contents = read(*start, std::min<uint64_t>(count, style_.most_elements) * size);
    return contents ? std::optional(elements(element, *contents, count, depth)) : std::nullopt;
  }

  std::string field(const MemberRecord& member, Bytes bytes, int depth) const {
    const auto offset = static_cast<uint64_t>(member.value);
    if (offset / 8 > bytes.size()) return kUnknown;
    if (!(member.flags & kMemberBitfield)) return print(member.type, bytes.subspan(offset / 8), depth + 1);
    const uint32_t type = stripped_type(model_, member.type);
    if (type == kNone || member.bits > 64 || (offset + member.bits + 7) / 8 > bytes.size()) return kUnknown;
    if (model_.type(type).kind == TypeKind::kEnumeration) return enumerator(type, bits_of(bytes, offset, member.bits));
    return base(model_.type(type), bytes, member.bits, offset);
  }

  std::string fields(uint32_t type, Bytes bytes, int depth) const {
    if (depth >= style_.deepest) return "{…}";
    std::string text;
    for (const MemberRecord& member : model_.members_of(type)) {
      if (member.kind != MemberKind::kField && member.kind != MemberKind::kBase) continue;
      if (!text.empty()) text += ", ";
      // A base class, an unnamed union and the like have no name of their own.
      const std::string_view name = model_.text(member.name);
      if (!name.empty()) text += fmt::format("{} = ", name);
      text += field(member, bytes, depth);
    }
    return fmt::format("{{{}}}", text);
  }

  const ProgramModel& model_;
  const MemoryReader& memory_;
  const ValueStyle& style_;
};

std::optional<FoundField> find_field_in(const ProgramModel& model, uint32_t declared, std::string_view name,
                                        int depth) {
  const uint32_t type = stripped_type(model, declared);
  if (type == kNone || depth > kDeepestField) return std::nullopt;
  const TypeKind kind = model.type(type).kind;
  if (kind != TypeKind::kStruct && kind != TypeKind::kClass && kind != TypeKind::kUnion) return std::nullopt;
  for (const MemberRecord& member : model.members_of(type)) {
    if (member.kind != MemberKind::kField && member.kind != MemberKind::kBase) continue;
    const auto offset = static_cast<uint64_t>(member.value) / 8;
    if (model.text(member.name) == name) {
      if (!(member.flags & kMemberBitfield)) return FoundField{member.type, offset};
      return FoundField{member.type, offset, static_cast<uint64_t>(member.value) % 8, member.bits};
    }
    if (auto inner = find_field_in(model, member.type, name, depth + 1)) {
      inner->offset += offset;
      return inner;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string print_value(const ProgramModel& model, uint32_t type, Bytes bytes, const MemoryReader& memory,
                        const ValueStyle& style) {
  return Printer(model, memory, style).print(type, bytes, 0);
}

std::optional<FoundField> find_field(const ProgramModel& model, uint32_t type, std::string_view name) {
  return find_field_in(model, type, name, 0);
}

}  // namespace culprit::program
