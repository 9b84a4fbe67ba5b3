// C's declarators read inside out: the text grows around the declared name while the chain of types is walked from the
// outermost (pointer, array, function) to the innermost; brackets are needed where a pointer's target is an array or a
// function.
#include "program/type_name.h"

#include <fmt/format.h>

namespace culprit::program {
namespace {

using format::TypeKind;

constexpr int kDeepest = 16;

std::string spaced(const std::string& left, const std::string& right) {
  if (right.empty()) return left;
  return left + " " + right;
}

std::string declaration(const ProgramModel& model, uint32_t type, std::string declared, int depth);

std::string parameters(const ProgramModel& model, uint32_t type, int depth) {
  std::string text;
  for (const auto& member : model.members_of(type)) {
    if (!text.empty()) text += ", ";
    text += declaration(model, member.type, {}, depth + 1);
  }
  if (model.type(type).flags & format::kTypeVariadic) text += text.empty() ? "..." : ", ...";
  return text.empty() ? "void" : text;
}

bool needs_brackets(const ProgramModel& model, uint32_t type) {
  if (type == kNone) return false;
  const TypeKind kind = model.type(type).kind;
  return kind == TypeKind::kArray || kind == TypeKind::kFunction;
}

std::string_view keyword(TypeKind kind) {
  switch (kind) {
    case TypeKind::kStruct:
      return "struct";
    case TypeKind::kClass:
      return "class";
    case TypeKind::kUnion:
      return "union";
    case TypeKind::kEnumeration:
      return "enum";
    default:
      return "variant";
  }
}

std::string declaration(const ProgramModel& model, uint32_t type, std::string declared, int depth) {
  if (depth > kDeepest) return "…";
  if (type == kNone) return spaced("void", declared);
  const auto& record = model.type(type);
  const auto around = [&](const char* sign) {
    std::string inner = sign + declared;
    if (needs_brackets(model, record.base)) inner = "(" + inner + ")";
    return declaration(model, record.base, inner, depth);
  };
  const auto qualified = [&](const char* word) {
    // A qualifier of a pointer stands behind the star, any other in front of the type.
    const bool pointer = record.base != kNone && model.type(record.base).kind == TypeKind::kPointer;
    if (pointer) return declaration(model, record.base, spaced(word, declared), depth);
    return fmt::format("{} {}", word, declaration(model, record.base, declared, depth));
  };
  const std::string name(model.text(record.name));
  switch (record.kind) {
    case TypeKind::kPointer:
      return around("*");
    case TypeKind::kReference:
      return around("&");
    case TypeKind::kRvalueReference:
      return around("&&");
    case TypeKind::kMemberPointer:
      return around("::*");
    case TypeKind::kConst:
      return qualified("const");
    case TypeKind::kVolatile:
      return qualified("volatile");
    case TypeKind::kRestrict:
      return qualified("restrict");
    case TypeKind::kAtomic:
      return qualified("_Atomic");
    case TypeKind::kArray:
    case TypeKind::kVector: {
      const std::string count = record.count == format::kUnknownCount ? "" : fmt::format("{}", record.count);
      return declaration(model, record.base, fmt::format("{}[{}]", declared, count), depth);
    }
    case TypeKind::kFunction:
      return declaration(model, record.base, fmt::format("{}({})", declared, parameters(model, type, depth)), depth);
    case TypeKind::kStruct:
    case TypeKind::kClass:
    case TypeKind::kUnion:
    case TypeKind::kEnumeration:
    case TypeKind::kVariant:
      if (name.empty()) return spaced(fmt::format("{} {{…}}", keyword(record.kind)), declared);
      return spaced(name, declared);
    default:
      return spaced(name, declared);
  }
}

}  // namespace

std::string type_name(const ProgramModel& model, uint32_t type, const std::string& declared) {
  return declaration(model, type, declared, 0);
}

uint32_t stripped_type(const ProgramModel& model, uint32_t type) {
  while (type != kNone) {
    const auto kind = model.type(type).kind;
    const bool transparent = kind == TypeKind::kTypedef || kind == TypeKind::kConst || kind == TypeKind::kVolatile ||
                             kind == TypeKind::kRestrict || kind == TypeKind::kAtomic;
    if (!transparent) return type;
    type = model.type(type).base;
  }
  return kNone;
}

}  // namespace culprit::program
