#include "recording/place.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "recording/record.h"
#include "temporary_directory.h"

namespace culprit::recording {
namespace {

namespace fs = std::filesystem;

class PlaceTest : public ::testing::Test {
 protected:
  PlaceTest() { ::setenv("CULPRIT_RECORDINGS", temporary_.path().c_str(), 1); }
  ~PlaceTest() override { ::unsetenv("CULPRIT_RECORDINGS"); }
  tests::TemporaryDirectory temporary_;
};

TEST_F(PlaceTest, NamesCountUp) {
  EXPECT_EQ(make_directory({}, "cat").filename(), "cat-1");
  EXPECT_EQ(make_directory({}, "cat").filename(), "cat-2");
  EXPECT_EQ(make_directory({}, "ls").filename(), "ls-1");
}

TEST_F(PlaceTest, OnlyTheUserMayLookInside) {
  const fs::path directory = make_directory({}, "cat");
  struct stat status {};
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(PlaceTest, AGivenDirectoryMustBeNew) {
  EXPECT_THROW(make_directory(temporary_.path(), "cat"), UserError);
}

TEST_F(PlaceTest, LatestFollowsTheLastRecording) {
  EXPECT_THROW(find_recording(""), UserError);
  const fs::path first = make_directory({}, "cat"), second = make_directory({}, "cat");
  point_latest(first);
  point_latest(second);
  EXPECT_EQ(find_recording(""), fs::canonical(second));
  EXPECT_EQ(find_recording("cat-1"), fs::canonical(first));
}

TEST_F(PlaceTest, AMissNamesWhatThereIs) {
  const fs::path directory = make_directory({}, "cat");
  std::ofstream(directory / "manifest.json") << "{}";
  try {
    find_recording("dog-1");
    FAIL() << "found a recording that is not there";
  } catch (const UserError& error) {
    EXPECT_NE(error.remedy().find("cat-1"), std::string::npos) << error.remedy();
  }
}

TEST_F(PlaceTest, ScriptsAreResolvedToTheirInterpreter) {
  const fs::path script = temporary_.path() / "script";
  std::ofstream(script) << "#! /bin/sh  -e \necho\n";
  fs::permissions(script, fs::perms::owner_all);
  const Executable executable = resolve({script.string(), "argument"});
  EXPECT_EQ(executable.path, "/bin/sh");
  EXPECT_EQ(executable.arguments, (std::vector<std::string>{"/bin/sh", "-e", script.string(), "argument"}));
}

TEST_F(PlaceTest, WhatIsNoProgramIsRefused) {
  EXPECT_THROW(resolve({"no-such-program-anywhere"}), UserError);
  const fs::path text = temporary_.path() / "text";
  std::ofstream(text) << "just text\n";
  fs::permissions(text, fs::perms::owner_all);
  EXPECT_THROW(resolve({text.string()}), UserError);
}

}  // namespace
}  // namespace culprit::recording
