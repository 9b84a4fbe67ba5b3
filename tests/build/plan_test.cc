#include "build/plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace culprit {
namespace {

std::string write_plan(const std::string& text) {
  // Tests run side by side, each in a process of its own.
  const std::string path = testing::TempDir() + "/" + std::to_string(::getpid()) + "-plan.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(Plan, NamedPlansDiffer) {
  EXPECT_NE(canonical_text(load_plan("fast")), canonical_text(load_plan("registers")));
  EXPECT_NE(canonical_text(load_plan("registers")), canonical_text(load_plan("homes")));
}

TEST(Plan, FileIsRead) {
  const Plan plan =
      load_plan(write_plan("observed = \"homes\"\nhooks = \"counts\"\nstart_observed = true\nfast_bodies = false\n"));
  EXPECT_EQ(canonical_text(plan), canonical_text(load_plan("homes")));
}

TEST(Plan, UnknownMemberNamesItsLine) {
  try {
    load_plan(write_plan("ticks = true\nobserved = \"all\"\n"));
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

TEST(Plan, UnknownNameIsRefused) {
  EXPECT_THROW(load_plan("no-such-plan"), UserError);
}

TEST(Plan, NoFastBodiesNeedsObservedStart) {
  EXPECT_THROW(load_plan(write_plan("observed = \"homes\"\nfast_bodies = false\n")), UserError);
}

TEST(Plan, WhatIsBuiltForOneRunIsBuiltQuickly) {
  EXPECT_TRUE(load_plan("session").quick_code);
  EXPECT_TRUE(load_plan("values").quick_code);
  EXPECT_FALSE(load_plan("trace").quick_code);
  Plan optimised = load_plan("session");
  optimised.quick_code = false;
  EXPECT_NE(canonical_text(optimised), canonical_text(load_plan("session")));
}

TEST(Plan, QuickCodeIsSaidOfObservedBodies) {
  EXPECT_THROW(load_plan(write_plan("quick_code = true\n")), UserError);
}

TEST(Plan, TextRoundTrips) {
  for (const char* name : {"fast", "registers", "homes", "session", "alterable", "values", "trace"}) {
    const Plan plan = load_plan(name);
    EXPECT_EQ(canonical_text(plan_from_toml_text(toml_text(plan), "x.toml")), canonical_text(plan));
  }
}

TEST(Plan, ObservedStartNeedsObservedBodies) {
  EXPECT_THROW(load_plan(write_plan("start_observed = true\n")), UserError);
}

}  // namespace
}  // namespace culprit
