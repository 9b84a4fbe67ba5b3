#include "capture/command_line.h"

#include <gtest/gtest.h>

#include <fstream>

namespace culprit {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, ActionFollowsTheOptions) {
  EXPECT_EQ(parse_command_line({"-c", "a.c"}).action, Action::kObjects);
  EXPECT_EQ(parse_command_line({"a.c", "-o", "a"}).action, Action::kLink);
  EXPECT_EQ(parse_command_line({"-r", "a.o", "-o", "b.o"}).action, Action::kRelocatable);
  EXPECT_EQ(parse_command_line({"a.o", "-Wl,-r", "-o", "b.o"}).action, Action::kRelocatable);
  EXPECT_EQ(parse_command_line({"-v"}).action, Action::kNoObject);
  EXPECT_EQ(parse_command_line({"-v", "a.c"}).action, Action::kLink);
  for (const char* option : {"-E", "-S", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-print-search-dirs"}) {
    EXPECT_EQ(parse_command_line({option, "a.c"}).action, Action::kNoObject) << option;
  }
  // Dependencies as a side effect of compiling do not keep the object from being made.
  EXPECT_EQ(parse_command_line({"-MD", "-MP", "-MF", "a.d", "-c", "a.c"}).action, Action::kObjects);
}

TEST(CommandLine, ValuesAreNotInputs) {
  const CommandLine line = parse_command_line({"-I", "a.c", "-o", "b.c", "-Xlinker", "c.c", "-MF", "-c", "real.o"});
  EXPECT_EQ(line.action, Action::kLink);
  EXPECT_EQ(line.output, "b.c");
  EXPECT_FALSE(line.compiles);
  Words inputs;
  for (const Argument& each : line.arguments) {
    if (each.kind == ArgumentKind::kInput) inputs.push_back(each.value);
  }
  EXPECT_EQ(inputs, Words{"real.o"});
}

TEST(CommandLine, LastDebugLevelCounts) {
  EXPECT_FALSE(parse_command_line({"-c", "a.c"}).full_debug_info);
  EXPECT_TRUE(parse_command_line({"-g3", "-c", "a.c"}).full_debug_info);
  EXPECT_TRUE(parse_command_line({"-gdwarf-4", "-c", "a.c"}).full_debug_info);
  EXPECT_FALSE(parse_command_line({"-g", "-g0", "-c", "a.c"}).full_debug_info);
  EXPECT_FALSE(parse_command_line({"-gline-tables-only", "-c", "a.c"}).full_debug_info);
  EXPECT_FALSE(parse_command_line({"-gz", "-c", "a.c"}).full_debug_info);
}

TEST(CommandLine, LanguageHoldsUntilChanged) {
  const CommandLine line = parse_command_line({"-x", "c", "-", "-x", "none", "a.o", "b.S", "-xc++", "d"});
  Words languages;
  for (const Argument& each : line.arguments) {
    if (each.kind == ArgumentKind::kInput) languages.push_back(each.language);
  }
  EXPECT_EQ(languages, (Words{"c", "object", "assembler-with-cpp", "c++"}));
}

TEST(CommandLine, ResponseFilesAreExpanded) {
  const std::string path = testing::TempDir() + "/words.rsp";
  std::ofstream(path) << "-o 'with space'\n\"a b.c\" \n  -DX=\\\"q\\\"\n";
  const CommandLine line = parse_command_line({"@" + path, "-c"});
  EXPECT_EQ(line.action, Action::kObjects);
  EXPECT_EQ(line.output, "with space");
  ASSERT_EQ(line.arguments.size(), 4u);
  EXPECT_EQ(line.arguments[1].value, "a b.c");
  EXPECT_EQ(line.arguments[2].words, Words{"-DX=\"q\""});
}

TEST(CommandLine, OtherTargetsAreNotCaptured) {
  EXPECT_TRUE(parse_command_line({"-m32", "-c", "a.c"}).other_target);
  EXPECT_TRUE(parse_command_line({"--target=aarch64-linux-gnu", "-c", "a.c"}).other_target);
  EXPECT_FALSE(parse_command_line({"-target", "x86_64-pc-linux-gnu", "-c", "a.c"}).other_target);
}

TEST(CommandLine, LinkersOptionsAreToldFromTheCompilers) {
  const CommandLine line = parse_command_line({"-O2", "-undef", "-DX", "-usymbol", "-B", "dir", "-Wl,-z,now",
                                               "--coverage", "-T", "a.ld", "-fno-common", "a.o"});
  std::vector<std::string> linkers;
  for (const Argument& each : line.arguments) {
    if (each.kind == ArgumentKind::kLinkerOption) linkers.push_back(each.words.front());
  }
  EXPECT_EQ(linkers, (Words{"-usymbol", "-B", "-Wl,-z,now", "--coverage", "-T"}));
}

TEST(CommandLine, MissingValueIsLeftToClang) {
  EXPECT_EQ(parse_command_line({"a.c", "-o"}).action, Action::kNoObject);
}

}  // namespace
}  // namespace culprit
