#include "recording/manifest.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "format/recording_format.h"
#include "temporary_directory.h"

namespace culprit::recording {
namespace {

Manifest example() {
  return {.version = format::kRecordingVersion,
          .state = State::kFinished,
          .program = "/bin/cat",
          .arguments = {"cat", "a \"quoted\" name"},
          .directory = "/",
          .started = "2024-01-01T00:00:00Z",
          .kernel = "Linux",
          .build_key = "0123",
          .from = "parse()#2",
          .to = "crash",
          .ended = "2024-01-01T00:00:01Z",
          .exit_status = 0,
          .exit_signal = 11,
          .stream_bytes = 96,
          .events = 3,
          .files = {{0, "/bin/cat", 5, "00ff"}}};
}

TEST(Manifest, ReadsBackWhatWasWritten) {
  const tests::TemporaryDirectory directory;
  write_manifest(directory.path(), example());
  EXPECT_EQ(read_manifest(directory.path()), example());
}

TEST(Manifest, WordsThatAreNotUtf8AreKeptReadable) {
  const tests::TemporaryDirectory directory;
  Manifest manifest = example();
  manifest.arguments = {"cat", "\xff\xfe"};
  write_manifest(directory.path(), manifest);
  EXPECT_EQ(read_manifest(directory.path()).arguments.size(), 2u);
}

TEST(Manifest, EveryTruncationIsFound) {
  const tests::TemporaryDirectory directory;
  const std::string text = manifest_text(example());
  for (size_t bytes = 0; bytes + 2 < text.size(); ++bytes) {
    write_file_atomically(directory.path() / "manifest.json", text.substr(0, bytes));
    EXPECT_THROW(read_manifest(directory.path()), CorruptData) << bytes;
  }
}

TEST(Manifest, ADirectoryWithoutOneIsTheUsersMistake) {
  const tests::TemporaryDirectory directory;
  EXPECT_THROW(read_manifest(directory.path()), UserError);
}

TEST(Manifest, OtherVersionsAndTypesAreRefused) {
  const tests::TemporaryDirectory directory;
  Manifest manifest = example();
  manifest.version = 999;
  write_manifest(directory.path(), manifest);
  EXPECT_THROW(read_manifest(directory.path()), CorruptData);
  write_file_atomically(directory.path() / "manifest.json", R"({"format":"culprit-recording","version":"one"})");
  EXPECT_THROW(read_manifest(directory.path()), CorruptData);
  std::string text = manifest_text(example());
  const size_t number = text.find(": ", text.find("stream_bytes")) + 2;
  text.replace(number, text.find_first_not_of("0123456789", number) - number, "1.66667e39");
  write_file_atomically(directory.path() / "manifest.json", text);
  EXPECT_THROW(read_manifest(directory.path()), CorruptData);
}

}  // namespace
}  // namespace culprit::recording
