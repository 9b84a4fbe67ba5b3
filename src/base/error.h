// The three kinds of error, kept apart: the user's, the data's, ours.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace culprit {

/// What a `culprit` command's exit status means; the numbers are stable.
enum class ExitCode : int {
  kAnswered = 0,            ///< the question was answered
  kNothingFound = 1,        ///< the command ran, there is nothing to report
  kBadUsage = 2,            ///< bad arguments or bad input files
  kEnvironmentLacks = 3,    ///< the machine or the program lacks something; the message says what and how to get it
};

/// Something the user can mend: says what is wrong and, in `remedy`, what to do about it.
class UserError : public std::runtime_error {
 public:
  UserError(const std::string& message, std::string remedy, ExitCode code = ExitCode::kBadUsage)
      : std::runtime_error(message), remedy_(std::move(remedy)), code_(code) {}
  const std::string& remedy() const { return remedy_; }
  ExitCode code() const { return code_; }

 private:
  std::string remedy_;
  ExitCode code_;
};

/// A file that does not hold what its format promises: says which file and at which byte offset.
class CorruptData : public std::runtime_error {
 public:
  CorruptData(std::string file, uint64_t offset, const std::string& what_is_wrong);
  const std::string& file() const { return file_; }
  uint64_t offset() const { return offset_; }

 private:
  std::string file_;
  uint64_t offset_;
};

/// Prints the failed condition with its place and ends the process with SIGABRT. Stays on in release builds.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& state);

}  // namespace culprit

/// An invariant of ours; `state` (a string) says what the values were.
#define CULPRIT_ASSERT(condition, state)                                       \
  do {                                                                         \
    if (!(condition)) ::culprit::assertion_failed(#condition, __FILE__, __LINE__, (state)); \
  } while (false)
