#include "build/link_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Symbols = std::map<std::string, Binding>;

UnitSymbols unit(const std::string& name, Symbols symbols, uint32_t component = 0) {
  UnitSymbols made;
  made.name = name;
  made.component = component;
  made.symbols = std::move(symbols);
  return made;
}

CompileJob job_of(std::vector<std::string> components = {"program"}) {
  CompileJob job;
  for (const std::string& name : components) {
    Component component;
    component.name = name;
    job.components.push_back(component);
  }
  return job;
}

TEST(LinkRules, UnitsThatGoTogetherAreLeftAlone) {
  const auto verdicts = apply_link_rules(job_of(), {unit("a.c", {{"f", Binding::kDeclared}, {"s", Binding::kLocal}}),
                                                    unit("b.c", {{"f", Binding::kStrong}, {"s", Binding::kLocal}})});
  for (const UnitVerdict& verdict : verdicts) {
    EXPECT_THAT(verdict.native_because, IsEmpty());
    EXPECT_THAT(verdict.dropped, IsEmpty());
    EXPECT_THAT(verdict.renamed, IsEmpty());
  }
}

TEST(LinkRules, SecondStrongDefinitionStaysNativeAndLocal) {
  const auto verdicts =
      apply_link_rules(job_of(), {unit("a.c", {{"f", Binding::kStrong}}), unit("b.c", {{"f", Binding::kStrong}})});
  EXPECT_THAT(verdicts[0].native_because, IsEmpty());
  EXPECT_THAT(verdicts[1].native_because, HasSubstr("defines f, as a.c does"));
  EXPECT_TRUE(verdicts[1].made_local.contains("f"));
}

TEST(LinkRules, MuldefsKeepsTheFirst) {
  CompileJob job = job_of();
  job.allow_multiple_definitions = true;
  const auto verdicts =
      apply_link_rules(job, {unit("a.c", {{"f", Binding::kStrong}}), unit("b.c", {{"f", Binding::kStrong}})});
  EXPECT_THAT(verdicts[1].native_because, IsEmpty());
  EXPECT_TRUE(verdicts[1].dropped.contains("f"));
  EXPECT_THAT(verdicts[0].dropped, IsEmpty());
}

TEST(LinkRules, WeakDefinitionsAreLeftToTheLinker) {
  const auto verdicts =
      apply_link_rules(job_of(), {unit("a.c", {{"f", Binding::kWeak}}), unit("b.c", {{"f", Binding::kStrong}})});
  EXPECT_THAT(verdicts[0].dropped, IsEmpty());
  EXPECT_THAT(verdicts[1].native_because, IsEmpty());
}

TEST(LinkRules, ContradictingOptionsLeaveAUnitNative) {
  UnitSymbols narrow = unit("b.c", {});
  narrow.strict_options["wchar_size"] = "2";
  UnitSymbols wide = unit("a.c", {});
  wide.strict_options["wchar_size"] = "4";
  const auto verdicts = apply_link_rules(job_of(), {wide, narrow, wide});
  EXPECT_THAT(verdicts[0].native_because, IsEmpty());
  EXPECT_THAT(verdicts[1].native_because, HasSubstr("wchar_size"));
  EXPECT_THAT(verdicts[2].native_because, IsEmpty());
}

TEST(LinkRules, AssemblyThatNamesAClashingStaticStaysNative) {
  UnitSymbols with_assembly = unit("b.c", {{"table", Binding::kLocal}});
  with_assembly.named_in_assembly = {"table", "movl"};
  EXPECT_THAT(apply_link_rules(job_of(), {unit("a.c", {{"table", Binding::kLocal}}), with_assembly})[1].native_because,
              HasSubstr("static symbol table"));
  EXPECT_THAT(apply_link_rules(job_of(), {unit("a.c", {{"other", Binding::kLocal}}), with_assembly})[1].native_because,
              IsEmpty());
}

TEST(LinkRules, LabelOfTwoAssembliesStaysNative) {
  UnitSymbols first = unit("a.c", {});
  first.labels_in_assembly = {"here"};
  UnitSymbols second = unit("b.c", {});
  second.labels_in_assembly = {"here"};
  const auto verdicts = apply_link_rules(job_of(), {first, second});
  EXPECT_THAT(verdicts[0].native_because, IsEmpty());
  EXPECT_THAT(verdicts[1].native_because, HasSubstr("label here"));
}

TEST(LinkRules, TheProgramInterposesEvenWeakly) {
  const CompileJob job = job_of({"program", "liba.so", "libb.so"});
  const auto verdicts = apply_link_rules(
      job, {unit("b.c", {{"f", Binding::kStrong}, {"g", Binding::kStrong}}, 2),
            unit("a.c", {{"f", Binding::kStrong}, {"g", Binding::kWeak}}, 1), unit("m.c", {{"f", Binding::kWeak}}, 0)});
  EXPECT_EQ(verdicts[0].dropped, (std::set<std::string>{"f", "g"}));
  EXPECT_EQ(verdicts[1].dropped, std::set<std::string>{"f"});
  EXPECT_THAT(verdicts[2].dropped, IsEmpty());
}

TEST(LinkRules, WhatALibraryKeepsToItselfIsRenamedOnAClashOnly) {
  const CompileJob job = job_of({"program", "liba.so"});
  UnitSymbols definer = unit("a.c", {{"f", Binding::kStrong}, {"lonely", Binding::kStrong}}, 1);
  definer.hidden = {"f", "lonely"};
  const UnitSymbols user = unit("a2.c", {{"f", Binding::kDeclared}}, 1);
  const auto verdicts = apply_link_rules(job, {definer, user, unit("m.c", {{"f", Binding::kStrong}}, 0)});
  EXPECT_EQ(verdicts[0].renamed, (std::map<std::string, std::string>{{"f", "f.liba.so"}}));
  EXPECT_EQ(verdicts[1].renamed, verdicts[0].renamed);
  EXPECT_THAT(verdicts[2].renamed, IsEmpty());
  EXPECT_THAT(verdicts[0].dropped, IsEmpty());
}

TEST(LinkRules, SymbolicLibrariesUseTheirOwn) {
  CompileJob job = job_of({"program", "liba.so"});
  job.components[1].symbolic = true;
  const auto verdicts =
      apply_link_rules(job, {unit("a.c", {{"f", Binding::kStrong}}, 1), unit("m.c", {{"f", Binding::kStrong}}, 0)});
  EXPECT_TRUE(verdicts[0].renamed.contains("f"));
  EXPECT_THAT(verdicts[0].dropped, IsEmpty());
}

TEST(LinkRules, WrapRedirectsUsesButNotTheDefiningUnit) {
  CompileJob job = job_of();
  job.wraps = {"g"};
  const auto verdicts =
      apply_link_rules(job, {unit("use.c", {{"g", Binding::kDeclared}}), unit("def.c", {{"g", Binding::kStrong}}),
                             unit("wrap.c", {{"__wrap_g", Binding::kStrong}, {"__real_g", Binding::kDeclared}})});
  EXPECT_EQ(verdicts[0].renamed.at("g"), "__wrap_g");
  EXPECT_THAT(verdicts[1].renamed, IsEmpty());
  EXPECT_EQ(verdicts[2].renamed, (std::map<std::string, std::string>{{"__real_g", "g"}}));
}

TEST(LinkRules, WrappedLibraryFunctionsStayWithTheLinker) {
  CompileJob job = job_of();
  job.wraps = {"malloc"};
  const auto verdicts = apply_link_rules(
      job, {unit("wrap.c", {{"__wrap_malloc", Binding::kStrong}, {"__real_malloc", Binding::kDeclared}})});
  EXPECT_THAT(verdicts[0].renamed, IsEmpty());
}

TEST(LinkRules, DefsymRedirectsUses) {
  CompileJob job = job_of();
  job.definitions = {{"a", "b"}, {"address", "0x1000"}};
  const auto verdicts =
      apply_link_rules(job, {unit("use.c", {{"a", Binding::kDeclared}, {"address", Binding::kDeclared}}),
                             unit("def.c", {{"b", Binding::kStrong}})});
  EXPECT_EQ(verdicts[0].renamed, (std::map<std::string, std::string>{{"a", "b"}}));
}

}  // namespace
}  // namespace culprit
