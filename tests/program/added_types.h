#pragma once

#include "program/sample_model.h"

namespace culprit::program {

/// A model to which types are added.
class AddedTypes {
 public:
  AddedTypes() : tables_(SampleModel::tables()), strings_(tables_.strings) { tables_.types.pop_back(); }

  uint32_t add(format::TypeKind kind, uint64_t bits, uint32_t base = format::kNone, const char* name = "",
               format::BaseEncoding encoding = format::BaseEncoding::kNotBase, uint64_t count = 0) {
    format::TypeRecord type{};
    type.kind = kind;
    type.bits = bits;
    type.base = base;
    type.name = strings_.add(name);
    type.encoding = encoding;
    type.count = count;
    type.first_member = static_cast<uint32_t>(tables_.members.size());
    tables_.types.push_back(type);
    return static_cast<uint32_t>(tables_.types.size()) - 1;
  }
  uint32_t basic(uint64_t bits, format::BaseEncoding encoding) {
    return add(format::TypeKind::kBase, bits, format::kNone, "", encoding);
  }
  /// Of the type added last.
  void member(const char* name, uint32_t type, int64_t value, format::MemberKind kind = format::MemberKind::kField,
              uint32_t bits = 0) {
    format::MemberRecord record{};
    record.name = strings_.add(name);
    record.type = type;
    record.value = value;
    record.kind = kind;
    record.bits = bits;
    if (bits) record.flags = format::kMemberBitfield;
    tables_.members.push_back(record);
  }
  ProgramModel model() {
    add(format::TypeKind::kBase, 0);  // in the sentinel's place
    return ProgramModel::from_bytes(model_bytes(tables_), "types");
  }

 private:
  ModelTables tables_;
  StringTable strings_;
};

}  // namespace culprit::program
