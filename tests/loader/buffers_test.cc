#include "runtime/loader/buffers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <memory>

namespace culprit::loader {
namespace {

using format::system_call;

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

class BuffersTest : public ::testing::Test {
 protected:
  const Extents& written(long number, std::array<uint64_t, 6> arguments, long result) {
    extents_->clear();
    const auto& call = system_call(static_cast<uint64_t>(number));
    written_extents(call, arguments.data(), words_before(call, arguments.data()), result, *extents_);
    return *extents_;
  }
  const Extents& read(long number, std::array<uint64_t, 6> arguments, long result) {
    extents_->clear();
    read_extents(system_call(static_cast<uint64_t>(number)), arguments.data(), result, *extents_);
    return *extents_;
  }
  std::unique_ptr<Extents> extents_ = std::make_unique<Extents>();
  char buffer_[64] = {};
};

TEST_F(BuffersTest, ReadWritesItsResult) {
  const Extents& extents = written(SYS_read, {0, address(buffer_), 64}, 10);
  ASSERT_EQ(extents.count, 1u);
  EXPECT_EQ(extents.list[0].address, address(buffer_));
  EXPECT_EQ(extents.list[0].bytes, 10u);
  EXPECT_EQ(written(SYS_read, {0, address(buffer_), 64}, -9).count, 0u);
  EXPECT_EQ(written(SYS_read, {0, address(buffer_), 64}, 0).count, 0u);
}

TEST_F(BuffersTest, VectorsEndWithTheResult) {
  char other[64];
  const iovec vector[] = {{buffer_, 64}, {nullptr, 0}, {other, 64}};
  const Extents& extents = written(SYS_readv, {0, address(vector), 3}, 70);
  ASSERT_EQ(extents.count, 2u);
  EXPECT_EQ(extents.list[0].bytes, 64u);
  EXPECT_EQ(extents.list[1].address, address(other));
  EXPECT_EQ(extents.list[1].bytes, 6u);
}

TEST_F(BuffersTest, TimeLeftIsWrittenOnlyWhenInterrupted) {
  EXPECT_EQ(written(SYS_nanosleep, {address(buffer_), address(buffer_ + 16)}, 0).count, 0u);
  const Extents& extents = written(SYS_nanosleep, {address(buffer_), address(buffer_ + 16)}, -4);
  ASSERT_EQ(extents.count, 1u);
  EXPECT_EQ(extents.list[0].bytes, 16u);
}

TEST_F(BuffersTest, AddressesAreNoLongerThanTheirRoom) {
  socklen_t length = 16;
  const std::array<uint64_t, 6> arguments = {0, address(buffer_), address(&length)};
  const auto& call = system_call(SYS_accept);
  const Before before = words_before(call, arguments.data());
  length = 28;  // what the kernel would have needed
  written_extents(call, arguments.data(), before, 5, *extents_);
  ASSERT_EQ(extents_->count, 2u);
  EXPECT_EQ(extents_->list[0].bytes, 16u);
  EXPECT_EQ(extents_->list[1].bytes, 4u);
}

TEST_F(BuffersTest, AskingForASizeOnlyWritesNothing) {
  EXPECT_EQ(written(SYS_getxattr, {address("/"), address("user.x"), address(buffer_), 0}, 40).count, 0u);
  EXPECT_EQ(written(SYS_getxattr, {address("/"), address("user.x"), address(buffer_), 64}, 40).list[0].bytes, 40u);
}

TEST_F(BuffersTest, CommandsOfIoctlDecide) {
  EXPECT_EQ(written(SYS_ioctl, {1, TIOCGWINSZ, address(buffer_)}, 0).list[0].bytes, sizeof(winsize));
  EXPECT_EQ(written(SYS_ioctl, {1, TCGETS, address(buffer_)}, 0).list[0].bytes, 36u);
  EXPECT_EQ(written(SYS_ioctl, {1, TIOCSWINSZ, address(buffer_)}, 0).count, 0u);
  EXPECT_EQ(written(SYS_ioctl, {1, TIOCGPTN, address(buffer_)}, 0).list[0].bytes, 4u);  // size encoded in the command
}

TEST_F(BuffersTest, ReceivedMessagesHaveFourPlaces) {
  char control[32];
  sockaddr_storage name;
  iovec vector = {buffer_, sizeof buffer_};
  const msghdr message = {&name, 16, &vector, 1, control, 24, 0};
  const Extents& extents = written(SYS_recvmsg, {3, address(&message), 0}, 5);
  ASSERT_EQ(extents.count, 4u);
  EXPECT_EQ(extents.list[0].bytes, sizeof(msghdr));
  EXPECT_EQ(extents.list[1].bytes, 16u);
  EXPECT_EQ(extents.list[2].bytes, 24u);
  EXPECT_EQ(extents.list[3].bytes, 5u);
}

TEST_F(BuffersTest, WrittenDataIsPartOfWhatIsRead) {
  const Extents& extents = read(SYS_write, {1, address(buffer_), 64}, 7);
  ASSERT_EQ(extents.count, 1u);
  EXPECT_EQ(extents.list[0].bytes, 7u);
  EXPECT_EQ(read(SYS_openat, {0, address("abc"), 0, 0}, 3).list[0].bytes, 4u);
  EXPECT_EQ(read(SYS_openat, {0, address("abc"), 0, 0}, -2).count, 0u);
}

TEST(SystemCalls, TheTableKnowsEachCallOnce) {
  size_t known = 0;
  for (uint64_t number = 0; number < 600; ++number) {
    const auto& call = system_call(number);
    if (call.number < 0) continue;
    ++known;
    EXPECT_EQ(static_cast<uint64_t>(call.number), number) << call.name;
    EXPECT_LE(call.arguments, 6) << call.name;
    for (const auto& buffer : call.buffers) {
      if (buffer.size.kind == format::SizeKind::kNone) continue;
      EXPECT_LT(buffer.pointer, call.arguments) << call.name;
      EXPECT_LT(buffer.size.argument, call.arguments) << call.name;
    }
  }
  EXPECT_EQ(known, std::size(format::table::kCalls));
  EXPECT_STREQ(system_call(SYS_read).name, "read");
  EXPECT_STREQ(system_call(SYS_clone3).name, "clone3");
  EXPECT_EQ(system_call(5000).call_class, format::CallClass::kRefused);
}

}  // namespace
}  // namespace culprit::loader
