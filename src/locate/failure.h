// What kind of failure a run ended in, and where, from what the stopped program and its messages say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/recording_format.h"
#include "format/session_abi.h"
#include "locate/user_predicate.h"
#include "program/program_model.h"
#include "report/explanation.h"
#include "session/frames.h"

namespace culprit {

/// How a run ended, as far as recognising a failure needs it.
struct ObservedEnd {
  format::StopRecord stop{};  ///< reason kNone when no fatal signal came
  std::vector<Frame> frames;  ///< at the stop
  std::string library{};      ///< file name of the code that ran at the stop; empty: the program's own
  int wait_status = 0;        ///< as of waitpid; of no meaning when timed_out
  bool timed_out = false;
  /// What each thread waited for when all waited for each other, of a recorded run that was ended there.
  std::vector<format::WaitPart> deadlock{};
  uint64_t peak_bytes = 0;  ///< of memory in use
  double cpu_seconds = 0;
  std::string output;  ///< standard output
  std::string error;   ///< standard error
};

/// What the user says a good run looks like.
struct Expectation {
  std::optional<int> exit_status;
  std::optional<std::string> output = std::nullopt;
  std::shared_ptr<UserPredicate> fails_if = nullptr;  ///< the user's own word; then neither of the others is looked at
};

report::SourcePlace place_of_statement(const program::ProgramModel& model, uint32_t statement);
/// Where a local variable of a function, or a global (`function` kNone), is declared.
report::SourcePlace place_of_declaration(const program::ProgramModel& model, uint32_t variable, uint32_t function);
/// The branch at the end of a block.
report::SourcePlace place_of_branch(const program::ProgramModel& model, uint32_t block);

/// "parse.c:12"
std::string file_and_line(const report::SourcePlace& place);

/// The innermost activation that is the program's own code.
report::SourcePlace place_of_failure(const program::ProgramModel& model, const std::vector<Frame>& frames);

/// How many bytes of `output` are as in `expected`.
uint64_t first_wrong_byte(const std::string& output, const std::string& expected);

/// Nothing when the run was as expected (without an expectation: it ended by itself).
std::optional<report::Failure> recognise_failure(const program::ProgramModel& model, const ObservedEnd& end,
                                                 const Expectation& expectation);

/// Whether the run was ended by what a library's code did, other than by its own decision.
bool is_in_library(const ObservedEnd& end);

/// Whether nothing is wrong with the values that the failing statement used.
bool is_about_no_value(const report::Failure& failure);

/// Whether the run was ended by what code did that is neither the program's, nor of the C or C++ library.
bool is_in_unknown_code(const ObservedEnd& end);

/// The same without looking for the place.
std::optional<report::Failure> recognise_end(const ObservedEnd& end, const Expectation& expectation);

}  // namespace culprit
