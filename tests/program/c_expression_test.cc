// C expressions over hand-made memory.
#include "program/c_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/error.h"
#include "program/added_types.h"

namespace culprit::program {
namespace {

using namespace format;
using testing::HasSubstr;

struct Node {
  int32_t key;
  uint32_t flag : 3, rest : 29;
  uint64_t next;
};

/// int n = -7; unsigned char byte = 200; double half = 0.5; int table[3] = {10, 20, 30};
/// struct node {int key; unsigned flag : 3; struct node* next;} first = {1, 5, NULL}, *list = &first; void* raw =
/// &first;
class CExpression : public testing::Test {
 protected:
  static constexpr uint64_t kBase = 0x1000;

  CExpression() : model_(make_model()) {
    place("n", int_, int32_t{-7});
    place("byte", byte_, uint8_t{200});
    place("half", double_, 0.5);
    place("table", table_, std::array<int32_t, 3>{10, 20, 30});
    const uint64_t first = place("first", node_, Node{.key = 1, .flag = 5, .rest = 0, .next = 0});
    place("list", node_pointer_, first);
    place("null", node_pointer_, uint64_t{0});
    place("raw", void_pointer_, first);
  }

  std::string value(std::string_view expression) const {
    const ObjectLookup lookup = [this](std::string_view name) -> std::optional<Object> {
      const auto at = objects_.find(std::string(name));
      return at == objects_.end() ? std::nullopt : std::optional(at->second);
    };
    const MemoryReader memory = [this](uint64_t address, size_t bytes) -> std::optional<std::vector<std::byte>> {
      if (address < kBase || address + bytes > kBase + memory_.size()) return std::nullopt;
      const auto from = memory_.begin() + static_cast<std::ptrdiff_t>(address - kBase);
      return std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(bytes));
    };
    return value_of_expression(model_, expression, lookup, memory);
  }

  std::string complaint(std::string_view expression) const {
    try {
      return "no complaint but " + value(expression);
    } catch (const UserError& error) {
      return error.what();
    }
  }

 private:
  ProgramModel make_model() {
    AddedTypes types;
    int_ = types.add(TypeKind::kBase, 32, kNone, "int", BaseEncoding::kSigned);
    const uint32_t unsigned_int = types.add(TypeKind::kBase, 32, kNone, "unsigned int", BaseEncoding::kUnsigned);
    byte_ = types.add(TypeKind::kBase, 8, kNone, "unsigned char", BaseEncoding::kUnsignedCharacter);
    double_ = types.add(TypeKind::kBase, 64, kNone, "double", BaseEncoding::kFloat);
    table_ = types.add(TypeKind::kArray, 96, int_, "", BaseEncoding::kNotBase, 3);
    node_ = types.add(TypeKind::kStruct, 128, kNone, "node");
    node_pointer_ = node_ + 1;
    types.member("key", int_, 0);
    types.member("flag", unsigned_int, 32, MemberKind::kField, 3);
    types.member("next", node_pointer_, 64);
    EXPECT_EQ(types.add(TypeKind::kPointer, 64, node_), node_pointer_);
    void_pointer_ = types.add(TypeKind::kPointer, 64, kNone);
    types.add(TypeKind::kEnumeration, 32, int_, "colour");
    types.member("GREEN", kNone, 4, MemberKind::kEnumerator);
    return types.model();
  }

  template <typename Contents>
  uint64_t place(const std::string& name, uint32_t type, const Contents& contents) {
    const uint64_t address = kBase + memory_.size();
    const auto bytes = std::as_bytes(std::span(&contents, 1));
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    objects_[name] = {type, address};
    return address;
  }

  uint32_t int_ = 0, byte_ = 0, double_ = 0, table_ = 0, node_ = 0, node_pointer_ = 0, void_pointer_ = 0;
  std::vector<std::byte> memory_;
  std::map<std::string, Object> objects_;
  ProgramModel model_;
};

TEST_F(CExpression, NumbersAndOperatorsAsInC) {
  EXPECT_EQ(value("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(value("(1 + 2) * 3"), "9");
  EXPECT_EQ(value("7 - 2 - 1"), "4");
  EXPECT_EQ(value("-7 / 2"), "-3");
  EXPECT_EQ(value("-7 % 4"), "-3");
  EXPECT_EQ(value("1 << 4 | 3"), "19");
  EXPECT_EQ(value("~0 & 0xff"), "255");
  EXPECT_EQ(value("010 + 'a' + '\\n'"), "115");
  EXPECT_EQ(value("-1 < 1u"), "0");
  EXPECT_EQ(value("-1 < 1"), "1");
  EXPECT_EQ(value("!3 || 2 == 2 && 1"), "1");
  EXPECT_EQ(value("0 ? 1 : 1 ? 2 : 3"), "2");
  EXPECT_EQ(value("1.5 * 2"), "3");
  EXPECT_EQ(value("0x8000000000000000 / -1"), "0");  // unsigned
}

TEST_F(CExpression, VariablesByTheirTypes) {
  EXPECT_EQ(value("n"), "-7");
  EXPECT_EQ(value("n + 1"), "-6");
  EXPECT_EQ(value("byte + 100"), "300");
  EXPECT_EQ(value("half / 2"), "0.25");
  EXPECT_EQ(value("(unsigned char)n"), "249");
  EXPECT_EQ(value("(int)half"), "0");
  EXPECT_EQ(value("(n)"), "-7");
  EXPECT_EQ(value("GREEN + 1"), "5");
}

TEST_F(CExpression, ArraysPointersAndFields) {
  EXPECT_EQ(value("table"), "{10, 20, 30}");
  EXPECT_EQ(value("table[n + 9]"), "30");
  EXPECT_EQ(value("*(table + 1)"), "20");
  EXPECT_EQ(value("&table[2] - table"), "2");
  EXPECT_EQ(value("first.key"), "1");
  EXPECT_EQ(value("list->flag"), "5");
  EXPECT_EQ(value("list->flag * 2"), "10");
  EXPECT_EQ(value("list->next"), "0x0");
  EXPECT_EQ(value("list == &first"), "1");
  EXPECT_EQ(value("*list"), "{key = 1, flag = 5, next = 0x0}");
  EXPECT_EQ(value("((struct node*)raw)->key"), "1");
  EXPECT_EQ(value("(node*)raw == list"), "1");
  EXPECT_EQ(value("null && null->key"), "0");
}

TEST_F(CExpression, WhatCannotBeSaidIsSaid) {
  EXPECT_THAT(complaint("m"), HasSubstr("nothing is called m here"));
  EXPECT_THAT(complaint("n = 3"), HasSubstr("nothing is changed here"));
  EXPECT_THAT(complaint("n++"), HasSubstr("not expected"));
  EXPECT_THAT(complaint("list(1)"), HasSubstr("no functions are called here"));
  EXPECT_THAT(complaint("1 +"), HasSubstr("ends too early"));
  EXPECT_THAT(complaint("(1"), HasSubstr("`)` is missing"));
  EXPECT_THAT(complaint("n / 0"), HasSubstr("division by zero"));
  EXPECT_THAT(complaint("null->key + 1"), HasSubstr("cannot be read"));
  EXPECT_THAT(complaint("(int)1e300"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(complaint("*raw"), HasSubstr("void*"));
  EXPECT_THAT(complaint("first.size"), HasSubstr("no field size"));
  EXPECT_THAT(complaint("n.key"), HasSubstr("no field"));
  EXPECT_THAT(complaint("table->key"), HasSubstr("no field key"));
  EXPECT_THAT(complaint("3 $ 4"), HasSubstr("`$` has no meaning"));
  EXPECT_THAT(complaint("12ab"), HasSubstr("a number ends otherwise"));
  EXPECT_THAT(complaint("99999999999999999999"), HasSubstr("does not fit"));
  EXPECT_THAT(complaint("(struct tree*)raw"), HasSubstr("no complete type tree"));
  EXPECT_THAT(complaint(std::string(100000, '(')), HasSubstr("too deep"));
}

}  // namespace
}  // namespace culprit::program
