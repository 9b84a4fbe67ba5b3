#include "build/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/file.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/cacheXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Cache cache(uint64_t limit = kDefaultCacheLimit) const { return Cache(folder_ / "cache", limit); }

  static fs::path put(const Cache& cache, const std::string& key, const std::string& contents) {
    const TemporaryDirectory staged = cache.stage(key);
    std::ofstream(staged.path() / "program") << contents;
    return cache.publish(key, staged);
  }

  /// Makes the entry look as if last used `seconds` ago.
  static void age(const fs::path& entry, int seconds) {
    fs::last_write_time(entry / "manifest.json", fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }

  fs::path folder_;
};

TEST_F(CacheTest, WhatIsPublishedIsFound) {
  const Cache cache = this->cache();
  EXPECT_FALSE(cache.find("k"));
  put(cache, "k", "contents");
  const auto found = cache.find("k");
  ASSERT_TRUE(found);
  EXPECT_EQ(read_file(*found / "program"), "contents");
  EXPECT_EQ(cache.use().entries, 1U);
  EXPECT_TRUE(fs::is_empty(folder_ / "cache" / "staging"));
}

TEST_F(CacheTest, IsPrivate) {
  put(cache(), "k", "contents");
  EXPECT_EQ(fs::status(folder_ / "cache").permissions(), fs::perms::owner_all);
}

TEST_F(CacheTest, DamagedEntriesAreRemoved) {
  const Cache cache = this->cache();
  const auto damages = std::vector<std::function<void(const fs::path&)>>{
      [](const fs::path& entry) { std::ofstream(entry / "program") << "CONTENTS"; },
      [](const fs::path& entry) { fs::resize_file(entry / "program", 3); },
      [](const fs::path& entry) { fs::remove(entry / "program"); },
      [](const fs::path& entry) { fs::remove(entry / "manifest.json"); },
      [](const fs::path& entry) { std::ofstream(entry / "manifest.json") << "{\"files\": 7}"; },
      [](const fs::path& entry) { fs::resize_file(entry / "manifest.json", 10); },
  };
  for (size_t index = 0; index < damages.size(); ++index) {
    const fs::path entry = put(cache, "k", "contents");
    damages[index](entry);
    EXPECT_FALSE(cache.find("k")) << "damage " << index;
    EXPECT_FALSE(fs::exists(entry)) << "damage " << index;
  }
}

TEST_F(CacheTest, PublishingAgainReplaces) {
  const Cache cache = this->cache();
  put(cache, "k", "old");
  put(cache, "k", "new");
  EXPECT_EQ(read_file(*cache.find("k") / "program"), "new");
  EXPECT_EQ(cache.use().entries, 1U);
}

TEST_F(CacheTest, LeastRecentlyUsedGoesFirst) {
  const Cache cache = this->cache(3000);
  age(put(cache, "a", std::string(900, 'a')), 300);
  age(put(cache, "b", std::string(900, 'b')), 200);
  ASSERT_TRUE(cache.find("a"));  // is now the most recent of the two
  put(cache, "c", std::string(900, 'c'));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
}

TEST_F(CacheTest, TheNewestEntryStaysEvenWhenTooLarge) {
  const Cache cache = this->cache(10);
  put(cache, "a", "a");
  put(cache, "b", std::string(100, 'b'));
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
}

TEST_F(CacheTest, ClearRemovesAll) {
  const Cache cache = this->cache();
  put(cache, "a", "a");
  put(cache, "b", "b");
  EXPECT_EQ(cache.clear().entries, 2U);
  EXPECT_EQ(cache.use().entries, 0U);
  EXPECT_EQ(cache.use().bytes, 0U);
}

TEST_F(CacheTest, LeftoversOfDeadProcessesGo) {
  const Cache cache = this->cache();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const fs::path stale = folder_ / "cache" / "staging" / (std::to_string(child) + ".key");
  fs::create_directory(stale);
  const TemporaryDirectory ours = cache.stage("mine");
  put(cache, "k", "contents");
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(ours.path()));
}

// Two processes want the same key at once: one builds, the other waits and finds.
TEST_F(CacheTest, OneBuildsTheOtherWaits) {
  const fs::path log = folder_ / "log";
  std::ofstream(log).close();
  const auto build = [&] {
    const Cache cache = this->cache();
    const FileLock lock = cache.lock("k", [] {});
    if (cache.find("k")) return;
    std::ofstream(log, std::ios::app) << "built\n";
    put(cache, "k", "contents");
  };
  std::vector<pid_t> children;
  for (int each = 0; each < 8; ++each) {
    const pid_t child = ::fork();
    if (child == 0) {
      build();
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_file(log), "built\n");
  EXPECT_TRUE(cache().find("k"));
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsTheUsersError) {
  std::ofstream(folder_ / "file") << "";
  EXPECT_THROW(Cache(folder_ / "file" / "cache", 1), UserError);
}

TEST(ByteCount, IsReadWithUnits) {
  EXPECT_EQ(parse_byte_count("17"), 17U);
  EXPECT_EQ(parse_byte_count("2K"), 2048U);
  EXPECT_EQ(parse_byte_count("3MiB"), 3U << 20);
  EXPECT_EQ(parse_byte_count("10G"), 10ULL << 30);
  for (const char* bad : {"", "G", "-1", "1X", "1GG", "99999999999T"})
    EXPECT_THROW(parse_byte_count(bad), UserError) << bad;
}

}  // namespace
}  // namespace culprit
