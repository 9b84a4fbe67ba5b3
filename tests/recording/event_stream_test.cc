#include "recording/event_stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "recording/event_text.h"
#include "recording/frame.h"
#include "recording/manifest.h"
#include "temporary_directory.h"

namespace culprit::recording {
namespace {

namespace fs = std::filesystem;
using format::Event;
using format::EventKind;
using format::Part;
using format::PartKind;

void append(std::string& to, const void* from, size_t bytes) {
  to.append(static_cast<const char*>(from), bytes);
}

/// A `read` event that wrote `data` at `address`.
std::string read_event(uint64_t address, const std::string& data) {
  const size_t padded = (data.size() + 7) & ~size_t{7};
  Event event = {};
  event.bytes = static_cast<uint32_t>(sizeof(Event) + sizeof(Part) + padded);
  event.kind = EventKind::kCall;
  event.result = static_cast<int64_t>(data.size());
  const Part part = {address, static_cast<uint32_t>(data.size()), PartKind::kMemory};
  std::string bytes;
  append(bytes, &event, sizeof event);
  append(bytes, &part, sizeof part);
  bytes += data;
  bytes.resize(event.bytes);
  return bytes;
}

std::string header_bytes() {
  const format::LogHeader header = log_header();
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::string frame(uint64_t offset, const std::string& raw) {
  const auto bytes = encode_frame(offset, std::as_bytes(std::span(raw)), 1);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
}

/// A ring of 4096 bytes that holds the stream's bytes up to `committed`.
std::string ring_bytes(const std::string& stream, uint64_t consumed) {
  constexpr uint64_t kSize = 4096;
  format::RingHeader header = {};
  std::memcpy(header.magic, format::kRingMagic, sizeof header.magic);
  header.version = format::kRecordingVersion;
  header.ring_bytes = kSize;
  header.committed = stream.size();
  header.consumed = consumed;
  std::string bytes(format::kRingHeaderBytes + kSize, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  const uint64_t from = stream.size() > kSize ? stream.size() - kSize : 0;
  for (uint64_t at = from; at < stream.size(); ++at) bytes[format::kRingHeaderBytes + at % kSize] = stream[at];
  return bytes;
}

class EventStreamTest : public ::testing::Test {
 protected:
  const fs::path& directory() const { return temporary_.path(); }
  tests::TemporaryDirectory temporary_;
  const std::string first_ = read_event(0x1000, "hello");
  const std::string second_ = read_event(0x2000, std::string(5000, 'x'));
  const std::string stream_ = first_ + second_;
};

TEST_F(EventStreamTest, GivesEventsBackInOrder) {
  write(directory() / "log", header_bytes() + frame(0, first_) + frame(first_.size(), second_));
  const EventStream stream(directory(), true);
  EXPECT_EQ(stream.events(), 2u);
  EXPECT_EQ(stream.bytes(), stream_.size());
  std::vector<std::string> seen;
  stream.for_each([&](const EventRef& event) {
    seen.emplace_back(event.parts().at(0).text());
    return true;
  });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], "hello");
  EXPECT_EQ(seen[1], std::string(5000, 'x'));
}

TEST_F(EventStreamTest, FramesNeedNotEndWhereEventsEnd) {
  write(directory() / "log", header_bytes() + frame(0, stream_.substr(0, 20)) + frame(20, stream_.substr(20)));
  EXPECT_EQ(EventStream(directory(), true).events(), 2u);
}

TEST_F(EventStreamTest, EveryTruncationOfAFinishedLogIsFound) {
  const std::string log = header_bytes() + frame(0, first_) + frame(first_.size(), second_);
  const size_t first_end = header_bytes().size() + frame(0, first_).size();
  for (size_t bytes = 0; bytes < log.size(); ++bytes) {
    write(directory() / "log", log.substr(0, bytes));
    // At a frame's end nothing is wrong with the log itself; the manifest's count of bytes tells.
    if (bytes == header_bytes().size() || bytes == first_end) continue;
    EXPECT_THROW(EventStream(directory(), true), CorruptData) << bytes;
  }
}

TEST_F(EventStreamTest, EveryTruncationOfAnUnfinishedLogGivesItsWholeEvents) {
  const std::string log = header_bytes() + frame(0, first_) + frame(first_.size(), second_);
  const size_t first_end = header_bytes().size() + frame(0, first_).size();
  for (size_t bytes = header_bytes().size(); bytes < log.size(); ++bytes) {
    write(directory() / "log", log.substr(0, bytes));
    EXPECT_EQ(EventStream(directory(), false).events(), bytes >= first_end ? 1u : 0u) << bytes;
  }
}

TEST_F(EventStreamTest, EveryChangedByteOfAFinishedLogIsFound) {
  const std::string log = header_bytes() + frame(0, first_);
  for (size_t at = 0; at < log.size(); ++at) {
    std::string changed = log;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    write(directory() / "log", changed);
    EXPECT_THROW(EventStream(directory(), true), CorruptData) << at;
  }
}

TEST_F(EventStreamTest, TheRingContinuesTheLog) {
  write(directory() / "log", header_bytes() + frame(0, stream_.substr(0, 2000)));
  write(directory() / "ring", ring_bytes(stream_, 2000));
  const EventStream stream(directory(), false);
  EXPECT_EQ(stream.events(), 2u);
  EXPECT_TRUE(stream.cut().empty());
}

TEST_F(EventStreamTest, AFrameThatWasBeingWrittenIsTakenFromTheRing) {
  const std::string torn = frame(2000, stream_.substr(2000));
  write(directory() / "log", header_bytes() + frame(0, stream_.substr(0, 2000)) + torn.substr(0, torn.size() / 2));
  write(directory() / "ring", ring_bytes(stream_, 2000));
  EXPECT_EQ(EventStream(directory(), false).events(), 2u);
}

TEST_F(EventStreamTest, AnEventThatWasBeingWrittenIsLeftOut) {
  write(directory() / "log", header_bytes());
  write(directory() / "ring", ring_bytes(stream_.substr(0, first_.size() + 50), 0));
  const EventStream stream(directory(), false);
  EXPECT_EQ(stream.events(), 1u);
  EXPECT_FALSE(stream.cut().empty());
}

TEST_F(EventStreamTest, ARingThatDoesNotReachTheLogIsRefused) {
  write(directory() / "log", header_bytes());
  write(directory() / "ring", ring_bytes(stream_, 4096));
  EXPECT_THROW(EventStream(directory(), false), CorruptData);
}

TEST_F(EventStreamTest, ForeignFilesAreRefused) {
  write(directory() / "log", "#!/bin/sh\necho this is not a log\n");
  EXPECT_THROW(EventStream(directory(), false), CorruptData);
  write(directory() / "log", header_bytes());
  write(directory() / "ring", std::string(9000, 'r'));
  EXPECT_THROW(EventStream(directory(), false), CorruptData);
}

TEST(WrongWithEvent, NamesWhatDoesNotFit) {
  uint64_t bytes = 0;
  const auto wrong = [&bytes](const std::string& event) {
    return wrong_with_event(std::as_bytes(std::span(event)), bytes);
  };
  const std::string good = read_event(0x1000, "hello");
  EXPECT_EQ(wrong(good), "");
  EXPECT_EQ(bytes, good.size());
  std::string odd_size = good;
  odd_size[0] = 33;
  EXPECT_NE(wrong(odd_size), "");
  std::string unknown = good;
  unknown[4] = 99;
  EXPECT_EQ(wrong(unknown), "holds an event of an unknown kind");
  std::string long_part = good;
  long_part[sizeof(Event) + 8] = 100;
  EXPECT_EQ(wrong(long_part), "holds an event whose parts do not fit");
  std::string map_part = good;
  map_part[sizeof(Event) + 12] = static_cast<char>(PartKind::kMap);
  EXPECT_EQ(wrong(map_part), "holds a part of a wrong size");
}

TEST(EventText, SaysWhatHappened) {
  const std::string bytes = read_event(0x1000, "hello");
  EXPECT_EQ(event_text({reinterpret_cast<const Event*>(bytes.data()), 0}),
            "thread 0: read = 5, 5 bytes written at 1 place");
}

}  // namespace
}  // namespace culprit::recording
