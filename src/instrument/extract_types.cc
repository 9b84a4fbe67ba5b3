// Units merged into one module bring their own copies of every header's types; without making them one, a model would
// be larger than the program. Two types are one when they agree in what makes them: a C++ type in its ODR identifier, a
// C structure in name, place, size and members' names and offsets, every other type in its parts (already made one). A
// structure is numbered before its members are looked at, so that circles through pointers end.
#include "instrument/extract_types.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>

#include <optional>

namespace culprit {
namespace {

using namespace format;

std::string_view view(llvm::StringRef text) {
  return {text.data(), text.size()};
}

BaseEncoding encoding_of(unsigned encoding) {
  switch (encoding) {
    case llvm::dwarf::DW_ATE_boolean:
      return BaseEncoding::kBoolean;
    case llvm::dwarf::DW_ATE_signed:
      return BaseEncoding::kSigned;
    case llvm::dwarf::DW_ATE_unsigned:
      return BaseEncoding::kUnsigned;
    case llvm::dwarf::DW_ATE_signed_char:
      return BaseEncoding::kSignedCharacter;
    case llvm::dwarf::DW_ATE_unsigned_char:
      return BaseEncoding::kUnsignedCharacter;
    case llvm::dwarf::DW_ATE_UTF:
      return BaseEncoding::kUnicodeCharacter;
    case llvm::dwarf::DW_ATE_float:
      return BaseEncoding::kFloat;
    case llvm::dwarf::DW_ATE_complex_float:
      return BaseEncoding::kComplex;
    default:
      return BaseEncoding::kOther;
  }
}

/// The kinds that stand for themselves with a base, by DWARF tag.
std::optional<TypeKind> derived_kind(unsigned tag) {
  switch (tag) {
    case llvm::dwarf::DW_TAG_pointer_type:
      return TypeKind::kPointer;
    case llvm::dwarf::DW_TAG_reference_type:
      return TypeKind::kReference;
    case llvm::dwarf::DW_TAG_rvalue_reference_type:
      return TypeKind::kRvalueReference;
    case llvm::dwarf::DW_TAG_ptr_to_member_type:
      return TypeKind::kMemberPointer;
    case llvm::dwarf::DW_TAG_const_type:
      return TypeKind::kConst;
    case llvm::dwarf::DW_TAG_volatile_type:
      return TypeKind::kVolatile;
    case llvm::dwarf::DW_TAG_restrict_type:
      return TypeKind::kRestrict;
    case llvm::dwarf::DW_TAG_atomic_type:
      return TypeKind::kAtomic;
    case llvm::dwarf::DW_TAG_typedef:
      return TypeKind::kTypedef;
    default:
      return std::nullopt;
  }
}

TypeKind composite_kind(unsigned tag) {
  switch (tag) {
    case llvm::dwarf::DW_TAG_class_type:
      return TypeKind::kClass;
    case llvm::dwarf::DW_TAG_union_type:
      return TypeKind::kUnion;
    case llvm::dwarf::DW_TAG_enumeration_type:
      return TypeKind::kEnumeration;
    case llvm::dwarf::DW_TAG_variant_part:
      return TypeKind::kVariant;
    default:
      return TypeKind::kStruct;
  }
}

std::string qualified_name(const llvm::DIType* type) {
  const std::string qualifier = qualifier_of(type->getScope());
  const std::string_view name = view(type->getName());
  return qualifier.empty() || name.empty() ? std::string(name) : fmt::format("{}::{}", qualifier, name);
}

std::string structural_key(const llvm::DICompositeType* type, const std::string& name) {
  if (const llvm::StringRef identifier = type->getIdentifier(); !identifier.empty()) {
    return fmt::format("o{}{}", view(identifier), type->isForwardDecl() ? "?" : "");
  }
  std::string key = fmt::format("c{}|{}|{}|{}|{}|{}", type->getTag(), name, view(type->getFilename()), type->getLine(),
                                type->getSizeInBits(), type->isForwardDecl());
  for (const llvm::DINode* element : type->getElements()) {
    if (const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element)) {
      key += fmt::format("|{}@{}", view(member->getName()), member->getOffsetInBits());
    } else if (const auto* enumerator = llvm::dyn_cast_or_null<llvm::DIEnumerator>(element)) {
      key += fmt::format("|{}", view(enumerator->getName()));
    }
  }
  return key;
}

}  // namespace

std::string qualifier_of(const llvm::DIScope* scope) {
  std::string text;
  for (; scope; scope = scope->getScope()) {
    std::string name;
    if (const auto* space = llvm::dyn_cast<llvm::DINamespace>(scope)) {
      name = space->getName().empty() ? "(anonymous namespace)" : space->getName().str();
    } else if (llvm::isa<llvm::DICompositeType>(scope)) {
      name = scope->getName().str();
    }
    if (!name.empty()) text = text.empty() ? name : name + "::" + text;
  }
  return text;
}

uint32_t TypeTable::add(const llvm::DIType* type) {
  if (!type) return kNone;
  if (const auto known = known_.find(type); known != known_.end()) return known->second;
  const uint32_t index = add_uncached(type);
  known_.emplace(type, index);
  return index;
}

uint32_t TypeTable::add_uncached(const llvm::DIType* type) {
  if (const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type)) return add_derived(derived);
  if (const auto* function = llvm::dyn_cast<llvm::DISubroutineType>(type)) return add_function(function);
  if (const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(type)) {
    const bool array = composite->getTag() == llvm::dwarf::DW_TAG_array_type;
    return array ? add_array(composite) : add_composite(composite);
  }
  TypeRecord record{};
  record.base = kNone;
  record.name = strings_.add(view(type->getName()));
  record.bits = type->getSizeInBits();
  record.kind = TypeKind::kUnspecified;
  if (const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(type)) {
    if (basic->getTag() == llvm::dwarf::DW_TAG_base_type) {
      record.kind = TypeKind::kBase;
      record.encoding = encoding_of(basic->getEncoding());
    }
  }
  return add_record(fmt::format("b{}|{}|{}|{}", int(record.kind), record.name, int(record.encoding), record.bits),
                    record, nullptr);
}

uint32_t TypeTable::add_derived(const llvm::DIDerivedType* type) {
  const auto kind = derived_kind(type->getTag());
  // Members, friends and template aliases stand for the type that they are of.
  if (!kind) return add(type->getBaseType());
  TypeRecord record{};
  record.kind = *kind;
  record.base = add(type->getBaseType());
  record.bits = type->getSizeInBits();
  if (record.kind == TypeKind::kTypedef) record.name = strings_.add(qualified_name(type));
  return add_record(fmt::format("d{}|{}|{}|{}", int(record.kind), record.base, record.name, record.bits), record,
                    nullptr);
}

uint32_t TypeTable::add_composite(const llvm::DICompositeType* type) {
  const std::string name = qualified_name(type);
  TypeRecord record{};
  record.kind = composite_kind(type->getTag());
  record.name = strings_.add(name);
  record.base = kNone;
  record.bits = type->getSizeInBits();
  if (type->isForwardDecl()) record.flags |= kTypeIncomplete;
  if (type->getFlags() & llvm::DINode::FlagEnumClass) record.flags |= kTypeScoped;
  if (record.kind == TypeKind::kEnumeration) record.base = add(type->getBaseType());
  const size_t before = tables_.types.size();
  const uint32_t index = add_record(structural_key(type, name), record, type);
  if (tables_.types.size() == before || name.empty()) return index;
  const std::string declared = fmt::format("{}|{}", record.kind == TypeKind::kUnion, name);
  if (type->isForwardDecl()) {
    declarations_.emplace_back(index, declared);
  } else {
    definitions_.emplace(declared, index);
  }
  return index;
}

uint32_t TypeTable::add_array(const llvm::DICompositeType* type) {
  uint32_t element = add(type->getBaseType());
  uint64_t bits = type->getBaseType() ? type->getBaseType()->getSizeInBits() : 0;
  if (element != kNone) bits = tables_.types[element].bits;
  const llvm::DINodeArray dimensions = type->getElements();
  for (size_t each = dimensions.size(); each-- > 0;) {
    TypeRecord record{};
    record.kind = type->isVector() ? TypeKind::kVector : TypeKind::kArray;
    record.base = element;
    record.count = kUnknownCount;
    if (const auto* range = llvm::dyn_cast_or_null<llvm::DISubrange>(dimensions[each])) {
      if (const auto* count = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount())) {
        if (!count->isNegative()) record.count = count->getZExtValue();
      }
    }
    bits = record.count == kUnknownCount ? 0 : bits * record.count;
    record.bits = each == 0 && type->getSizeInBits() ? type->getSizeInBits() : bits;
    element =
        add_record(fmt::format("a{}|{}|{}|{}", int(record.kind), element, record.count, record.bits), record, nullptr);
  }
  return element;
}

uint32_t TypeTable::add_function(const llvm::DISubroutineType* type) {
  TypeRecord record{};
  record.kind = TypeKind::kFunction;
  record.base = kNone;
  std::string key = "f";
  const llvm::DITypeRefArray parts = type->getTypeArray();
  for (unsigned each = 0; each < parts.size(); ++each) {
    if (each > 0 && !parts[each]) {
      record.flags |= kTypeVariadic;
      key += "|...";
      continue;
    }
    const uint32_t part = add(parts[each]);
    if (each == 0) record.base = part;
    key += fmt::format("|{}", part);
  }
  return add_record(key, record, type);
}

uint32_t TypeTable::add_record(const std::string& key, const TypeRecord& record, const llvm::DIType* members_of) {
  const auto [at, is_new] = by_key_.emplace(key, static_cast<uint32_t>(tables_.types.size()));
  if (is_new) {
    tables_.types.push_back(record);
    members_of_.push_back(members_of);
  }
  return at->second;
}

void TypeTable::add_member(const llvm::DIDerivedType* member) {
  MemberRecord record{};
  record.name = strings_.add(view(member->getName()));
  record.value = static_cast<int64_t>(member->getOffsetInBits());
  switch (member->getTag()) {
    case llvm::dwarf::DW_TAG_member:
    case llvm::dwarf::DW_TAG_variable:
      record.kind = member->isStaticMember() ? MemberKind::kStatic : MemberKind::kField;
      if (member->getName().starts_with("_vptr")) record.kind = MemberKind::kVirtualTable;
      break;
    case llvm::dwarf::DW_TAG_inheritance:
      record.kind = member->isVirtual() ? MemberKind::kVirtualBase : MemberKind::kBase;
      break;
    default:
      return;  // nested typedefs, friends
  }
  if (member->isBitField()) {
    record.flags |= kMemberBitfield;
    record.bits = static_cast<uint32_t>(member->getSizeInBits());
  }
  if (member->isArtificial()) record.flags |= kMemberArtificial;
  record.type = add(member->getBaseType());
  tables_.members.push_back(record);
}

void TypeTable::add_members(const llvm::DIType* type) {
  if (const auto* function = llvm::dyn_cast<llvm::DISubroutineType>(type)) {
    const llvm::DITypeRefArray parts = function->getTypeArray();
    for (unsigned each = 1; each < parts.size(); ++each) {
      if (!parts[each]) continue;
      MemberRecord record{};
      record.kind = MemberKind::kParameter;
      record.type = add(parts[each]);
      tables_.members.push_back(record);
    }
    return;
  }
  for (const llvm::DINode* element : llvm::cast<llvm::DICompositeType>(type)->getElements()) {
    if (const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element)) {
      add_member(member);
    } else if (const auto* enumerator = llvm::dyn_cast_or_null<llvm::DIEnumerator>(element)) {
      MemberRecord record{};
      record.kind = MemberKind::kEnumerator;
      record.name = strings_.add(view(enumerator->getName()));
      record.type = kNone;
      record.value = enumerator->isUnsigned()
                         ? static_cast<int64_t>(enumerator->getValue().zextOrTrunc(64).getZExtValue())
                         : enumerator->getValue().sextOrTrunc(64).getSExtValue();
      tables_.members.push_back(record);
    }
  }
}

void TypeTable::finish() {
  // Members may bring new types, which join the end of the list that is being walked.
  for (uint32_t type = 0; type < tables_.types.size(); ++type) {
    tables_.types[type].first_member = static_cast<uint32_t>(tables_.members.size());
    if (members_of_[type]) add_members(members_of_[type]);
  }
  for (const auto& [declaration, key] : declarations_) {
    if (const auto definition = definitions_.find(key); definition != definitions_.end()) {
      defined_by_.emplace(declaration, definition->second);
    }
  }
  for (TypeRecord& type : tables_.types) type.base = final_index(type.base);
  for (MemberRecord& member : tables_.members) member.type = final_index(member.type);
}

uint32_t TypeTable::final_index(uint32_t type) const {
  const auto defined = defined_by_.find(type);
  return defined == defined_by_.end() ? type : defined->second;
}

}  // namespace culprit
