// What a run's end says about the kind of failure.
#include "locate/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "locate/failure_place.h"
#include "program/sample_model.h"

namespace culprit {
namespace {

using testing::HasSubstr;

program::ProgramModel sample() {
  return program::ProgramModel::from_bytes(program::model_bytes(program::SampleModel::tables()), "sample");
}

/// The end of a run that `signal` ended in statement 4 of the sample.
ObservedEnd signalled(int signal, int code = 1, uint64_t address = 0, const std::string& error = {}) {
  ObservedEnd end;
  end.stop.reason = format::StopReason::kFatalSignal;
  end.stop.signal = signal;
  end.stop.signal_code = code;
  end.stop.address = address;
  end.frames = {{.entry_block = 0, .statement = 4, .user_frame = 0, .private_frame = 0}};
  end.wait_status = signal;
  end.error = error;
  return end;
}

ObservedEnd exited(int status, const std::string& output = {}) {
  ObservedEnd end;
  end.wait_status = status << 8;
  end.output = output;
  return end;
}

std::string kind_of(const ObservedEnd& end, const Expectation& expectation = {}) {
  const auto failure = recognise_failure(sample(), end, expectation);
  return failure ? failure->kind : "none";
}

TEST(Failure, TellsInvalidAccessesApartByAddress) {
  EXPECT_EQ(kind_of(signalled(SIGSEGV, SEGV_MAPERR, 0)), "null-dereference");
  EXPECT_EQ(kind_of(signalled(SIGSEGV, SEGV_MAPERR, 24)), "null-dereference");
  EXPECT_EQ(kind_of(signalled(SIGSEGV, SEGV_MAPERR, 0x10000000)), "invalid-access");
  EXPECT_EQ(kind_of(signalled(SIGSEGV, SI_KERNEL, 0)), "wild-pointer");
  ObservedEnd deep = signalled(SIGSEGV);
  deep.stop.reason = format::StopReason::kStackOverflow;
  EXPECT_EQ(kind_of(deep), "stack-overflow");
}

TEST(Failure, IsAtTheInnermostStatementOfTheProgram) {
  const auto failure = recognise_failure(sample(), signalled(SIGFPE, FPE_INTDIV), {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, "arithmetic");
  EXPECT_EQ(failure->place.file, "/src/sample.c");
  EXPECT_EQ(failure->place.line, 8U);
  EXPECT_EQ(failure->place.function, "add");
}

TEST(Failure, ReadsTheReasonOfAnAbortFromTheMessages) {
  const auto abort_kind = [](const char* error) { return kind_of(signalled(SIGABRT, SI_TKILL, 0, error)); };
  EXPECT_EQ(abort_kind(""), "abort");
  EXPECT_EQ(abort_kind("prog: a.c:3: f: Assertion `x' failed.\n"), "assertion");
  EXPECT_EQ(abort_kind("terminate called after throwing an instance of 'E'\n  what():  no\n"), "uncaught-exception");
  EXPECT_EQ(abort_kind("free(): double free detected in tcache 2\n"), "double-free");
  EXPECT_EQ(abort_kind("double free or corruption (out)\n"), "heap-corruption");
  EXPECT_EQ(abort_kind("corrupted size vs. prev_size\n"), "heap-corruption");
  EXPECT_EQ(abort_kind("Fatal glibc error: malloc assertion failure in sysmalloc: (old_top == 0)\n"),
            "heap-corruption");
  EXPECT_EQ(abort_kind("*** stack smashing detected ***: terminated\n"), "stack-smashing");
}

TEST(Failure, ComparesWithWhatIsExpected) {
  EXPECT_EQ(kind_of(exited(0, "ab")), "none");
  EXPECT_EQ(kind_of(exited(2)), "exit-status");
  EXPECT_EQ(kind_of(exited(2), {.exit_status = 2, .output = {}}), "none");
  EXPECT_EQ(kind_of(exited(0), {.exit_status = 2, .output = {}}), "exit-status");
  const auto failure = recognise_failure(sample(), exited(0, "a\nbc"), {.exit_status = {}, .output = "a\nbd"});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, "wrong-output");
  EXPECT_THAT(failure->message, HasSubstr("byte 4 (line 2)"));
}

TEST(Failure, OfAHandledFaultIsTheStatusInTheEnd) {
  ObservedEnd end = signalled(SIGSEGV);
  end.wait_status = 0;  // the program dealt with the signal
  EXPECT_EQ(kind_of(end), "none");
  end.wait_status = 3 << 8;
  EXPECT_EQ(kind_of(end), "exit-status");
}

TEST(Failure, CountsRightBytes) {
  EXPECT_EQ(first_wrong_byte("abc", "abd"), 2U);
  EXPECT_EQ(first_wrong_byte("ab", "abd"), 2U);
  EXPECT_EQ(first_wrong_byte("abde", "abd"), 3U);
}

TEST(Failure, LooksAtTheLastRightByteWhereSomeAreMissing) {
  EXPECT_EQ(byte_to_look_at("abc\n", "abcdef\n"), 2U);
  EXPECT_EQ(byte_to_look_at("(a, text)\n", "(a, some text)\n"), 3U);
  EXPECT_EQ(byte_to_look_at("abX\n", "abc\n"), 2U);
}

TEST(Failure, TwoNumbersThatEndInTheSameDigitAreNoMissingText) {
  EXPECT_EQ(byte_to_look_at("7\n0\n", "7\n1.41421356237309504880\n"), 2U);
}

}  // namespace
}  // namespace culprit
