// The table's grammar: what is a mistake, and that the built-in table has none.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "program/external/table.h"

namespace culprit::program::external {
namespace {

using ::testing::HasSubstr;

std::string complaint(const char* text) {
  const TableText table{"functions.txt", text};
  try {
    const Table parsed(std::span(&table, 1));
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(ExternalTable, BuiltInTableIsSound) {
  EXPECT_GE(built_in_table().descriptions().size(), 400u);
  for (const Description& description : built_in_table().descriptions()) {
    EXPECT_EQ(built_in_table().find(description.name), &description);
  }
  EXPECT_EQ(built_in_table().find("no_such_function"), nullptr);
}

TEST(ExternalTable, MistakesAreReportedWithTheirLine) {
  EXPECT_EQ(complaint("f(a): returns from a\n\n# a comment\ng(a): reads a[n]"),
            "functions.txt:4: no parameter is called 'n'");
  EXPECT_EQ(complaint("f(a): returns from\n  b"), "functions.txt:1: no parameter is called 'b'");
  EXPECT_THAT(complaint("f(a): returns\nf(b): returns"),
              HasSubstr("functions.txt:2: f is described in functions.txt:1"));
}

TEST(ExternalTable, ParametersMustBeUsed) {
  EXPECT_THAT(complaint("f(a, b): returns from a"), HasSubstr("the parameter 'b' is not used"));
  EXPECT_EQ(complaint("f(a, _b): returns from a"), "none");
  EXPECT_EQ(complaint("f(a, b): returns"), "none");  // computed from all of them
  EXPECT_THAT(complaint("f(a, a): returns"), HasSubstr("two parameters are called 'a'"));
  EXPECT_THAT(complaint("f(ret): returns"), HasSubstr("cannot be called 'ret'"));
}

/// What the C and C++ libraries of the machine at hand may lack: newer names, macros, names of other libraries and
/// ours.
bool may_be_absent(const Description& description) {
  static constexpr std::string_view kNames[] = {"__clang_call_terminate",
                                                "__gmon_start__",
                                                "__mulodi4",
                                                "__muloti4",
                                                "__tls_get_addr",
                                                "at_quick_exit",
                                                "atexit",
                                                "crypt",
                                                "heapsort",
                                                "mergesort",
                                                "sigsetjmp",
                                                "strlcpy",
                                                "strnstr",
                                                "fpurge"};
  const std::string_view name = description.name;
  return description.file == "libraries.txt" || name.starts_with("__isoc23_") || name.starts_with("__atomic_") ||
         name.starts_with("culprit_") || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

TEST(ExternalTable, NamesAreThoseOfLibraries) {
  for (const Description& description : built_in_table().descriptions()) {
    if (may_be_absent(description)) continue;
    const bool exists = dlsym(RTLD_DEFAULT, description.name.c_str()) != nullptr ||
                        dlvsym(RTLD_DEFAULT, description.name.c_str(), "GLIBC_2.2.5") != nullptr;
    EXPECT_TRUE(exists) << description.file << ":" << description.line << " " << description.name;
  }
}

TEST(ExternalTable, AbbreviationsAreWrittenOut) {
  const TableText text{"f.txt",
                       "abbreviation {P} _Zprefix\nabbreviation {twice} reads a[2]; reads a[3]\n{P}1f(a): {twice}"};
  const Table table(std::span(&text, 1));
  ASSERT_NE(table.find("_Zprefix1f"), nullptr);
  EXPECT_EQ(table.find("_Zprefix1f")->clauses.size(), 2u);
  EXPECT_THAT(complaint("{P}f(a): returns"), HasSubstr("unexpected character '{'"));
}

TEST(ExternalTable, StatesMustBeDeclared) {
  EXPECT_THAT(complaint("f(): reads @random; returns"), HasSubstr("no state @random is declared"));
  EXPECT_EQ(complaint("f(): reads @random; returns\nstate @random: the seed"), "none");
  EXPECT_THAT(complaint("state @a: one\nstate @a(x): other"), HasSubstr("declared twice"));
}

TEST(ExternalTable, WordsMustBeKnown) {
  EXPECT_THAT(complaint("f(a): devours a[1]"), HasSubstr("there is no verb 'devours'"));
  EXPECT_THAT(complaint("f(a) -> quad: returns"), HasSubstr("there is no type 'quad'"));
  EXPECT_THAT(complaint("f(a): reads a[size(a)]"), HasSubstr("there is no function 'size'"));
  EXPECT_THAT(complaint("f(a): reads a[len(a, 1, 2)]"), HasSubstr("'len' does not take 3 operands"));
  EXPECT_THAT(complaint("f(a): reads a[sizeof(nothing)]"), HasSubstr("the size of 'nothing' is not known"));
  EXPECT_THAT(complaint("f(a): writes a"), HasSubstr("cannot be written"));
  EXPECT_THAT(complaint("f(a): copies a[1]"), HasSubstr("expected 'to'"));
  EXPECT_THAT(complaint("f(a): reads a[1"), HasSubstr("expected ']'"));
  EXPECT_THAT(complaint("f(a): reads a[1] reads a[2]"), HasSubstr("unexpected 'reads'"));
  EXPECT_THAT(complaint("f(a): reads \"text"), HasSubstr("a text has no end"));
  EXPECT_THAT(complaint("f(a): reads a[1$]"), HasSubstr("unexpected character '$'"));
  EXPECT_THAT(complaint("f(a, b): writes a[1] from printf(b)"), HasSubstr("not variadic"));
  EXPECT_THAT(complaint("f(a)"), HasSubstr("expected ':'"));
}

}  // namespace
}  // namespace culprit::program::external
