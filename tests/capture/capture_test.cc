#include "capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "capture/archive.h"
#include "capture/elf.h"
#include "capture/section_append.h"
#include "sample_capture.h"
#include "sample_elf.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of the running test's own, since tests run at the same time.
std::string folder() {
  return testing::TempDir() + "/capture-" + testing::UnitTest::GetInstance()->current_test_info()->name();
}

std::string write(const std::string& name, const std::string& content) {
  const std::string path = folder() + "/" + name;
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string sample_program() {
  const std::string content = "native object";
  const EmbeddedFile file{"/somewhere/a.o", XXH3_64bits(content.data(), content.size()), bytes_of(content)};
  return sample_elf({{".text", "code"},
                     {format::kUnitSection, sample_unit("a.c", "bitcode of a") + sample_unit("dir/b.c", "and b")},
                     {format::kLinkSection, link_section_bytes(sample_link(), {file})}});
}

/// What reading this content as a program says, and the exit code with it.
std::pair<std::string, ExitCode> refusal(const std::string& content) {
  try {
    read_capture(write("refused", content));
    return {"was accepted", ExitCode::kAnswered};
  } catch (const UserError& error) {
    return {std::string(error.what()) + "; " + error.remedy(), error.code()};
  } catch (const CorruptData& error) {
    return {std::string("corrupt: ") + error.what(), ExitCode::kBadUsage};
  }
}

TEST(Capture, EverythingWrittenIsRead) {
  const Capture capture = read_capture(write("program", sample_program()));
  ASSERT_EQ(capture.units.size(), 2u);
  EXPECT_EQ(capture.units[0].directory, "/somewhere");
  EXPECT_EQ(capture.units[0].source, "a.c");
  EXPECT_EQ(capture.units[0].producer, "clang");
  EXPECT_EQ(capture.units[1].source, "dir/b.c");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(capture.units[1].bitcode.data()), 5), "and b");
  ASSERT_TRUE(capture.link.has_value());
  EXPECT_EQ(*capture.link, sample_link());
  ASSERT_EQ(capture.embedded_files.size(), 1u);
  EXPECT_EQ(capture.embedded_files[0].content.size(), 13u);
}

TEST(Capture, PartialLinksComeBesideTheProgramsOwn) {
  LinkRecord partial = sample_link();
  partial.is_relocatable = true;
  const Capture capture =
      read_capture(write("program", sample_elf({{format::kUnitSection, sample_unit("a.c", "b")},
                                                {format::kLinkSection, link_section_bytes(partial, {})},
                                                {format::kLinkSection, link_section_bytes(sample_link(), {})}})));
  EXPECT_EQ(capture.link, sample_link());
  EXPECT_EQ(capture.partial_links, std::vector<LinkRecord>{partial});
}

TEST(Capture, PaddingBetweenUnitsIsSkipped) {
  const std::string section = sample_unit("a.c", "b") + std::string(24, '\0') + sample_unit("c.c", "d");
  EXPECT_EQ(read_capture(write("program", sample_elf({{format::kUnitSection, section}}))).units.size(), 2u);
}

TEST(Capture, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_THAT(refusal("").first, HasSubstr("not an ELF file"));
  EXPECT_THAT(refusal("hello").first, HasSubstr("not an ELF file"));
  EXPECT_THAT(refusal("#!/bin/sh\n").first, HasSubstr("is a script"));
  EXPECT_THAT(refusal("BC\xc0\xde...").first, HasSubstr("-flto"));
  EXPECT_THROW(read_capture(folder() + "/no such file"), UserError);
  EXPECT_THROW(read_capture(testing::TempDir()), UserError);
}

TEST(Capture, ProgramWithoutBitcodeNamesTheCompiler) {
  const auto [message, code] = refusal(sample_elf({{".text", "code"}}));
  EXPECT_THAT(message, HasSubstr("culprit-cc"));
  EXPECT_THAT(message, HasSubstr("llvm-strip"));
  EXPECT_EQ(code, ExitCode::kEnvironmentLacks);
}

TEST(Capture, OtherVersionIsNamed) {
  std::string unit = sample_unit("a.c", "bitcode");
  unit[offsetof(format::CaptureUnitHeader, version)] = 99;
  EXPECT_THAT(refusal(sample_elf({{format::kUnitSection, unit}})).first, HasSubstr("version 99"));
  std::string link = link_section_bytes(sample_link(), {});
  link[offsetof(format::CaptureLinkHeader, version)] = 98;
  EXPECT_THAT(refusal(sample_elf({{format::kLinkSection, link}})).first, HasSubstr("version 98"));
}

TEST(Capture, DamageIsToldFromItsPlace) {
  std::string unit = sample_unit("a.c", "bitcode");
  EXPECT_THAT(refusal(sample_elf({{format::kUnitSection, unit.substr(0, 40)}})).first, HasSubstr("header"));
  EXPECT_THAT(refusal(sample_elf({{format::kUnitSection, unit.substr(0, 80)}})).first, HasSubstr("cut short"));
  unit[unit.size() - 6] ^= 1;
  EXPECT_THAT(refusal(sample_elf({{format::kUnitSection, unit}})).first, HasSubstr("damaged"));
}

TEST(Capture, LibtoolsScriptLeadsToTheProgram) {
  fs::remove_all(folder());
  const std::string script = write("tool", "#! /bin/sh\n# tool - temporary wrapper script for .libs/tool\n");
  EXPECT_THROW(read_capture(script), UserError);
  write(".libs/tool", sample_program());
  const Capture capture = read_capture(script);
  EXPECT_EQ(capture.path, fs::path(folder()) / ".libs" / "tool");
  EXPECT_EQ(capture.units.size(), 2u);
}

/// Reads content that may be damaged anywhere; whatever the outcome, it must be one of the errors meant for users.
/// Returns whether it was accepted.
bool survives(const std::string& content) {
  try {
    read_capture_of(bytes_of(content), "damaged");
    return true;
  } catch (const UserError&) {
  } catch (const CorruptData&) {
  }
  return false;
}

TEST(Capture, EveryTruncationIsRefused) {
  const std::string program = sample_program();
  for (size_t size = 0; size < program.size(); ++size) {
    EXPECT_FALSE(survives(program.substr(0, size))) << size;
  }
}

TEST(Capture, EveryDamagedByteIsSurvived) {
  const std::string program = sample_program();
  size_t refused = 0;
  for (size_t at = 0; at < program.size(); ++at) {
    for (const unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string damaged = program;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      refused += !survives(damaged);
    }
  }
  // Most bytes of the sample are bitcode, text with a hash, or sizes.
  EXPECT_GT(refused, program.size());
}

TEST(Capture, AppendedSectionIsReadAndNothingElseChanges) {
  const std::string before = sample_elf({{".text", "code"}, {format::kUnitSection, sample_unit("a.c", "b")}});
  const std::string path = write("appended", before);
  ASSERT_EQ(append_section(path, format::kLinkSection, link_section_bytes(sample_link(), {})), AppendResult::kAppended);
  EXPECT_EQ(read_capture(path).link, sample_link());
  const std::string after = read_file(path);
  EXPECT_EQ(after.substr(sizeof(Elf64_Ehdr), before.size() - sizeof(Elf64_Ehdr)), before.substr(sizeof(Elf64_Ehdr)));
}

TEST(Capture, AppendingLeavesOtherFilesAlone) {
  const std::string path = write("image", "raw image");
  EXPECT_EQ(append_section(path, format::kLinkSection, "x"), AppendResult::kNotApplicable);
  EXPECT_EQ(read_file(path), "raw image");
  EXPECT_EQ(append_section("/dev/null", format::kLinkSection, "x"), AppendResult::kNotApplicable);
}

TEST(Capture, ObjectsAreAskedForBitcode) {
  std::vector<std::pair<std::string, std::string>> sections;
  for (int index = 0; index < 2000; ++index) sections.emplace_back(".text.f" + std::to_string(index), "code");
  EXPECT_FALSE(carries_bitcode(bytes_of(sample_elf(sections))));
  sections.emplace_back(format::kUnitSection, sample_unit("a.c", "b"));
  EXPECT_TRUE(carries_bitcode(bytes_of(sample_elf(sections))));
  EXPECT_FALSE(carries_bitcode(bytes_of(std::string("text"))));
  EXPECT_FALSE(carries_bitcode(bytes_of(sample_elf(sections).substr(0, 1000))));
}

std::string archive_member(const std::string& name, const std::string& content) {
  std::string header = name;
  header.resize(48, ' ');
  header += std::to_string(content.size());
  header.resize(58, ' ');
  return header + "`\n" + content + (content.size() % 2 ? "\n" : "");
}

TEST(Archive, MembersWithShortAndLongNames) {
  const std::string archive = "!<arch>\n" + archive_member("/", "tbl") + archive_member("//", "a_very_long_name.o/\n") +
                              archive_member("a.o/", "one") + archive_member("/0", "two!");
  std::vector<std::string> seen;
  for_each_member("lib.a", bytes_of(archive), [&seen](const ArchiveMember& member) {
    seen.push_back(member.name + "=" + std::to_string(member.content.size()));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a.o=3", "a_very_long_name.o=4"}));
}

TEST(Archive, ThinMembersAreReadFromTheirFiles) {
  write("thin/a.o", "content");
  const std::string archive = "!<thin>\n" + archive_member("//", "a.o/\n\n") + archive_member("/0", "");
  size_t size = 0;
  for_each_member(folder() + "/thin/lib.a", bytes_of(archive),
                  [&size](const ArchiveMember& member) { size = member.content.size(); });
  EXPECT_EQ(size, 7u);
}

TEST(Archive, DamageIsRefused) {
  const std::string archive = "!<arch>\n" + archive_member("a.o/", "content1") + archive_member("b.o/", "content2");
  const auto visit_nothing = [](const ArchiveMember&) {};
  const size_t member = sizeof("!<arch>\n") - 1 + 60 + 8;
  for (size_t size = 8; size < archive.size(); ++size) {
    if (size == 8 || size == member) continue;  // whole archives of fewer members
    EXPECT_THROW(for_each_member("lib.a", bytes_of(archive.substr(0, size)), visit_nothing), CorruptData) << size;
  }
}

}  // namespace
}  // namespace culprit
