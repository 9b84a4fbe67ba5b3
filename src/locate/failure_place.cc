#include "locate/failure_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "locate/failure.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

constexpr size_t kSameByChance = 2;

std::string_view rest_of_line(const std::string& text, uint64_t from) {
  if (from >= text.size()) return {};
  return std::string_view(text).substr(from, text.find('\n', from) - from + 1);
}

/// Whether `rest` is what is wanted but for what is missing in front of it. One or two characters are the same by
/// chance, such as the last digits of two numbers.
bool is_missing(std::string_view rest, std::string_view wanted) {
  const bool says_something = rest == "\n" || rest.size() > kSameByChance + std::string_view("\n").size();
  return says_something && rest.size() < wanted.size() && wanted.ends_with(rest);
}

/// What is not at the failure itself.
void forget_innermost(size_t activations, ObservedRun& run) {
  const auto forget = [activations](auto& all) {
    all.erase(all.begin(), all.begin() + static_cast<long>(std::min(activations, all.size())));
  };
  forget(run.end.frames);
  forget(run.variables);
}

}  // namespace

bool text_is_missing(const std::string& output, const std::string& expected) {
  const uint64_t first_wrong = first_wrong_byte(output, expected);
  if (first_wrong >= output.size() || first_wrong >= expected.size()) return false;
  return is_missing(rest_of_line(output, first_wrong), rest_of_line(expected, first_wrong));
}

uint64_t byte_to_look_at(const std::string& output, const std::string& expected) {
  const uint64_t first_wrong = first_wrong_byte(output, expected);
  return first_wrong != 0 && text_is_missing(output, expected) ? first_wrong - 1 : first_wrong;
}

bool has_wrong_length(const std::string& output, const std::string& expected) {
  const uint64_t first_wrong = first_wrong_byte(output, expected);
  if (first_wrong == 0 || first_wrong >= output.size()) return false;
  const std::string_view rest = rest_of_line(output, first_wrong), wanted = rest_of_line(expected, first_wrong);
  return wanted.empty() || is_missing(rest, wanted) || is_missing(wanted, rest);
}

bool is_silent(const report::Failure& failure) {
  return failure.kind == "wrong-output" || failure.kind == "exit-status" || failure.kind == "predicate";
}

void move_failure_to(const program::ProgramModel& model, const HeapFault& fault, report::Failure& failure) {
  const uint32_t used = own_statement(model, statements_of(fault.access));
  if (used < model.statements().size()) {
    failure.place = place_of_statement(model, used);
  } else if (fault.first_different_branch) {
    failure.place = place_of_branch(model, *fault.first_different_branch);
  }
}

void tell_misuse(const program::ProgramModel& model, const HeapFault& fault, report::Failure& failure) {
  const report::SourcePlace used = place_of_statement(model, own_statement(model, statements_of(fault.access)));
  const bool by_libc = failure.kind == "heap-corruption" || failure.kind == "double-free";
  // What was seen need not be what the failure comes of, unless it is of that kind.
  if (used.line == 0 || (!fault.repairs && !(fault.was_seen && by_libc)) || failure.kind == "hang") return;
  const char* did = "";
  const char* kind = "heap-corruption";
  switch (fault.error) {
    case HeapError::kUninitialised:
      return;
    case HeapError::kUsedAfterFree:
      did = "used memory that it had freed";
      kind = "use-after-free";
      break;
    case HeapError::kUsedAfterReturn:
      did = "used a variable of a function that had returned";
      kind = "use-after-return";
      break;
    case HeapError::kFreedTwice:
      did = "freed memory twice";
      kind = "double-free";
      break;
    case HeapError::kFreedInside:
      did = "freed what does not begin a heap block";
      kind = "invalid-free";
      break;
    case HeapError::kOutOfBounds:
      did = fault.variable ? "accessed memory behind a variable" : "accessed memory outside a heap block";
      break;
  }
  // What the program itself declares stays what it is, and where memory was left, what that came to is known.
  const bool by_access =
      failure.kind == "null-dereference" || failure.kind == "wild-pointer" || failure.kind == "invalid-access";
  const bool is_cause = fault.error == HeapError::kUsedAfterFree || fault.error == HeapError::kUsedAfterReturn;
  if (by_libc || (by_access && is_cause)) failure.kind = kind;
  const bool went_on = used.file != failure.place.file || used.line != failure.place.line;
  failure.message = fmt::format("The program {} ({}){}. {}", did, file_and_line(used), went_on ? ", and went on" : "",
                                failure.message);
}

void tell_message(const FailureSlice& slice, const std::string& said, report::Failure& failure) {
  if (!slice.message) return;
  const std::string line = said.substr(*slice.message, said.find('\n', *slice.message) - *slice.message);
  failure.message += fmt::format(" Instead the program said: {}", line);
}

void move_failure_to(const program::ProgramModel& model, const EndlessLoop& loop, ObservedRun& failing,
                     report::Failure& failure) {
  forget_innermost(loop.activation, failing);
  failure.place = place_of_branch(model, model.headers_of(loop.loop).front().block);
}

bool was_put_out_before(const FailureSlice& slice, ObservedRun& at_output) {
  if (slice.put_out_at.empty()) return false;
  const auto is_call = [&](const Frame& each) { return each.statement == slice.put_out_at.front(); };
  if (std::any_of(at_output.end.frames.begin(), at_output.end.frames.end(), is_call)) return false;
  at_output.end.frames.clear();
  for (const uint32_t statement : slice.put_out_at) at_output.end.frames.push_back({.statement = statement});
  at_output.variables.clear();
  return true;
}

void move_failure_to_writer(const program::ProgramModel& model, const FailureSlice& slice, ObservedRun& at_output,
                            report::Failure& failure) {
  if (!slice.writer) return;
  const std::vector<Frame>& frames = at_output.end.frames;
  const auto writes =
      std::find_if(frames.begin(), frames.end(), [&](const Frame& each) { return each.statement == *slice.writer; });
  if (writes == frames.end() || writes == frames.begin()) return;
  forget_innermost(static_cast<size_t>(writes - frames.begin()), at_output);
  failure.place = place_of_statement(model, *slice.writer);
}

}  // namespace culprit
